"""Runs that are loaded: translations, scores, attention, exchange."""

import json
import logging
import signal
import threading
from pathlib import Path

import numpy as np
import pytest

import glossa as gl

LINES = ["hello world", "", "how are you", "the man sees a  red house ."]


def test_a_run_twice_is_an_ensemble_with_its_own_translations(trained):
    alone, twice = gl.load(trained, beam=3), gl.load(trained, trained, beam=3)
    found = alone.translate(LINES)
    assert twice.translate(LINES) == found
    texts = [line for line in LINES if line], [line for line in found if line]
    assert [s.score for s in twice.score(*texts)] == pytest.approx([s.score for s in alone.score(*texts)], rel=1e-5)


def test_translations_equal_the_commands(trained, command):
    expected = command("translate", trained.folder, "--beam", "3", input="\n".join(LINES) + "\n").splitlines()
    best = gl.load(trained, beam=3)
    assert best.translate(LINES) == expected
    assert [best.translate(line) for line in LINES] == expected
    assert [found[0].text if found else "" for found in best.n_best(LINES, 3)] == expected


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_precision_is_that_of_the_commands(trained, command, tmp_path, precision):
    source, target = tmp_path / "text.en", tmp_path / "text.hi"
    source.write_text("hello world\nhow are you\n")
    target.write_text("aap kaise hain\nnamaste\n")
    lines = [path.read_text().splitlines() for path in (source, target)]
    rounded = gl.load(trained, set={"decode.precision": precision})
    option = ["--precision", precision]
    expected = command("translate", trained.folder, *option, input=source.read_text()).splitlines()
    assert rounded.translate(lines[0]) == expected
    printed = command("score", trained.folder, "--source", source, "--target", target, *option).splitlines()
    scores = [s.score for s in rounded.score(*lines)]
    assert [float(line.split("\t")[0]) for line in printed] == pytest.approx(scores, abs=1e-6)
    assert scores != [s.score for s in gl.load(trained).score(*lines)]
    assert rounded.evaluate(*lines).loss != gl.load(trained).evaluate(*lines).loss


def test_a_quantized_run_translates_as_its_run_in_int8(trained, command, tmp_path):
    command("quantize", trained.folder, "--run", tmp_path / "quantized")
    expected = gl.load(trained, set={"decode.precision": "int8"}).translate(LINES)
    assert gl.load(tmp_path / "quantized").translate(LINES) == expected


def test_n_best(trained, command):
    best = gl.load(trained, beam=4)
    found = best.n_best("how are you", 4, align=True)
    assert [t.score for t in found] == sorted((t.score for t in found), reverse=True)
    assert all(0 < t.probability <= 1 for t in found)
    listed = command("translate", trained.folder, "--beam", "4", "--nbest", "4", input="how are you\n").splitlines()
    assert [line.split(" ||| ")[1] for line in listed] == [t.text for t in found]
    with pytest.raises(gl.Misuse, match="beam=5"):
        best.n_best("how are you", 5)
    with pytest.raises(gl.Misuse, match="at least 1"):
        best.n_best("how are you", 0)
    with pytest.raises(gl.Misuse, match="splitlines"):
        best.translate("two\nlines")


@pytest.mark.parametrize(
    "options",
    [
        {"decode.sample": True, "decode.top_k": 3},
        {"decode.sample": True, "decode.top_p": 0.5},
        {"decode.mbr": 6, "decode.mbr_utility": "bleu"},
    ],
)
def test_sampling_and_minimum_bayes_risk_equal_the_commands(trained, command, options):
    text = "hello world\nhow are you\nthe cat sleeps\n"
    drawing = gl.load(trained, beam=1, set=options)
    sets = [word for key, value in options.items() for word in ("--set", f"{key}={value}".replace("True", "true"))]
    expected = command("translate", trained.folder, "--beam", "1", *sets, input=text).splitlines()
    assert drawing.translate(text.splitlines()) == expected
    if "decode.mbr" not in options:
        return
    found = drawing.n_best("how are you", 6)
    assert 1 <= len(found) <= 6
    assert [t.score for t in found] == sorted((t.score for t in found), reverse=True)
    with pytest.raises(gl.Misuse, match="decode.mbr"):
        drawing.n_best("how are you", 7)


def test_scores_equal_the_commands(trained, command, tmp_path):
    source, target = tmp_path / "text.en", tmp_path / "text.hi"
    source.write_text("hello world\nhow are you\n")
    target.write_text("aap kaise hain\nnamaste\n")
    expected = command("score", trained.folder, "--source", source, "--target", target).splitlines()
    scored = gl.load(trained).score(*(path.read_text().splitlines() for path in (source, target)))
    assert [float(line.split("\t")[0]) for line in expected] == pytest.approx([s.score for s in scored], abs=1e-5)
    assert sum(scored[0].token_log_probabilities) == pytest.approx(scored[0].log_probability)


def test_evaluation_equals_the_commands(trained, command, tmp_path):
    import json

    command("generate", "toy", "--out", tmp_path)
    source, reference = tmp_path / "test.en", tmp_path / "test.hi"
    expected = json.loads(
        command("evaluate", trained.folder, "--source", source, "--reference", reference, "--json")
    )
    lines = [path.read_text().splitlines() for path in (source, reference)]
    evaluation = gl.load(trained).evaluate(*lines)
    assert evaluation.bleu == expected["bleu"] and evaluation.loss == expected["loss"]
    assert gl.bleu(evaluation.translations, lines[1]).score == evaluation.bleu
    assert gl.chrf(evaluation.translations, lines[1]).score == evaluation.chrf
    assert gl.ter(evaluation.translations, [lines[1]]).score == evaluation.ter


def test_attention(trained):
    attention = gl.load(trained).attention("how are you")
    assert attention.source == ["how", "are", "you", "</s>"]
    assert attention.cross.shape == (1, 2, len(attention.target), len(attention.source))
    assert attention.cross.dtype == np.float32
    np.testing.assert_allclose(attention.cross.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(attention.decoder.sum(-1), 1, rtol=1e-5)
    assert len(attention.probabilities) >= len(attention.output) - 1  # the last token of an unfinished one has none
    assert "how" in attention._repr_html_()


def test_a_run_shows_its_report(trained):
    assert "srcdoc" in trained._repr_html_()
    assert repr(trained) == f"<glossa.Run {trained.folder}: max_updates>"


def test_threads_share_a_translator(trained):
    best = gl.load(trained, beam=2)
    lines = LINES * 20
    expected = best.translate(lines)
    found = [None] * 4

    def work(i):
        found[i] = best.translate(lines)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def alarm_during(work, handler):
    """Calls work(), with an alarm on the way, whose handler may raise."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    try:
        work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_signal_ends_a_search_and_an_evaluation(trained):
    class Stopped(Exception):
        pass

    def stop(*_):
        raise Stopped

    best = trained.load()
    lines = LINES * 1000
    for work in (lambda: best.translate(lines), lambda: best.evaluate(lines, lines)):
        with pytest.raises(Stopped):
            alarm_during(work, stop)
    assert best.translate(LINES)[1] == ""


def test_a_handler_cannot_use_a_translator_that_it_interrupts(trained):
    best = trained.load()
    with pytest.raises(gl.Misuse, match="from a signal handler"):
        alarm_during(lambda: best.translate(LINES * 1000), lambda *_: best.translate("hello world"))


def test_weights_leave_and_return(trained, options, tmp_path):
    trained.export(safetensors=tmp_path / "weights.safetensors")
    copy = gl.import_model(
        tmp_path / "weights.safetensors", tmp_path / "copy", set={k: v for k, v in options.items() if "." in k}
    )
    assert copy.load().translate(LINES) == trained.load().translate(LINES)
    mean = gl.average(trained, 2, tmp_path / "mean")
    assert mean.load().translate("hello world")


@pytest.mark.parametrize("tied", ["output", "all", "embeddings"])
def test_exported_weights_of_a_tied_model_load_into_a_transformer(options, tmp_path, tied):
    shared = {"data.tokenizer": "sentencepiece", "data.vocab_size": 200, "data.shared_vocabulary": tied != "output"}
    once = {"model.tied": tied, "train.max_updates": 1, "train.validate_every": 0}
    run = gl.train({**options, **shared, **once}, run=tmp_path / "run", progress=False)
    run.export(safetensors=tmp_path / "weights")
    with open(tmp_path / "weights", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    (target, width) = header["generator.weight"]["shape"]
    (source, _) = header.get("src_tok_emb.embedding.weight", {"shape": [target, width]})["shape"]
    sizes = {"width": width, "heads": 2, "feed_forward": 32, "encoder_layers": 1, "decoder_layers": 1}
    logits = []
    for other in (tied, "none"):
        model = gl.Transformer(source, target, **sizes, tied=other, output_bias="generator.bias" in header)
        model.init(dtype=np.float64).load(tmp_path / "weights")
        with gl.step():
            logits.append(model([[5, 6, 3]], [[2, 7, 8]]).numpy())
    np.testing.assert_array_equal(*logits)


def test_a_folder_that_is_no_run(tmp_path):
    with pytest.raises(gl.Error, match="expected a run folder"):
        gl.load(tmp_path)
    with pytest.raises(gl.Misuse, match="split_sentences"):
        gl.load(tmp_path, split_sentences="maybe")
    for folder in (tmp_path, tmp_path / "missing"):
        run = gl.Run(folder)
        for read in (lambda: run.training, lambda: run.validation, run.load, run.report):
            with pytest.raises(gl.Error, match="expected a run folder"):
                read()


@pytest.mark.parametrize("metric", [gl.bleu, gl.chrf, gl.ter])
def test_metrics(metric):
    lines = ["the cat sat on the mat", "it rained"]
    assert metric(lines, lines).score == metric(lines, [lines, lines]).score
    assert "version:glossa" in metric(lines, lines).signature
    with pytest.raises(gl.Error):
        metric(lines, lines[:1])


def test_paired_bootstrap_agrees_with_sacrebleu():
    path = Path(__file__).parents[2] / "tests" / "golden" / "paired_bootstrap.json"
    golden = json.loads(path.read_text(encoding="utf-8"))
    for case in golden["cases"][:10]:
        texts = case["system"], case["other"], case["references"]
        found = gl.paired_bootstrap(*texts, resamples=golden["resamples"])
        assert found.resamples == golden["resamples"] and "p = " in repr(found)
        for key, score in (("bleu", found.bleu), ("chrf", found.chrf), ("ter", found.ter)):
            sides = [getattr(side, name) for side in (score.system, score.other) for name in ("score", "mean", "interval")]
            np.testing.assert_allclose([*sides, score.p_value], case[key], atol=2e-4, rtol=0)
            assert score.difference == sides[0] - sides[3]
    lines = ["the cat sat on the mat", "it rained"]
    assert np.isnan(gl.paired_bootstrap(lines, lines, lines, resamples=9).ter.p_value)
    with pytest.raises(gl.Error, match="as many lines"):
        gl.paired_bootstrap(lines, lines[:1], lines)
    with pytest.raises(gl.Misuse, match="tokenize"):
        gl.paired_bootstrap(lines, lines, lines, tokenize="mecab")


def test_an_exception_while_a_message_is_logged_is_raised_later(trained, caplog):
    class Stopped(Exception):
        pass

    class Stop(logging.Filter):
        def filter(self, record):
            raise Stopped

    logger, stop = logging.getLogger("glossa"), Stop()
    with caplog.at_level(logging.DEBUG, logger="glossa"):
        logger.addFilter(stop)
        try:
            with pytest.raises(Stopped):
                trained.load()
        finally:
            logger.removeFilter(stop)
