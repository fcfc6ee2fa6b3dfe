"""glossa.train: the bits of the command, callbacks, interruptions, records."""

import faulthandler
import logging
import multiprocessing
import os
import signal
import sys

import numpy as np
import pytest

import glossa as gl


def sets(options):
    return [word for key, value in options.items() for word in ("--set", f"{key}={str(value).lower()}")]


def test_equals_the_command(trained, command, options, state_of, tmp_path):
    command("train", "--resume=auto", os.devnull, "--run", tmp_path / "run", *sets(options))
    assert state_of(tmp_path / "run") == state_of(trained)


def test_bf16_equals_the_command(trained, command, options, state_of, tmp_path):
    in_bf16 = options | {"train.precision": "bf16"}
    command("train", "--resume=auto", os.devnull, "--run", tmp_path / "there", *sets(in_bf16))
    here = gl.train(in_bf16, run=tmp_path / "here", progress=False)
    assert state_of(tmp_path / "there") == state_of(here) != state_of(trained)


def test_either_resumes_the_others_runs(trained, command, options, state_of, tmp_path):
    begun_here, begun_there = tmp_path / "here", tmp_path / "there"
    gl.train(options, run=begun_here, set={"train.max_updates": 25}, progress=False)
    command("train", "--resume", begun_here, "--set", "train.max_updates=60")
    command("train", os.devnull, "--run", begun_there, *sets(options | {"train.max_updates": 25}))
    run = gl.train(run=begun_there, resume=True, set={"train.max_updates": 60}, progress=False)
    assert run.end == "max_updates"
    assert state_of(begun_here) == state_of(begun_there) == state_of(trained)


def test_ctrl_c_ends_at_the_update_and_returns_the_run(trained, options, state_of, tmp_path):
    def interrupt(report):
        if report.update == 20:
            signal.raise_signal(signal.SIGINT)

    run = gl.train(options, run=tmp_path / "run", on_update=interrupt, progress=False)
    assert run.end == "interrupted"
    assert gl.load(run, checkpoint="last").update in (20, 21)
    assert gl.train(run=run.folder, resume=True, progress=False).end == "max_updates"
    assert state_of(run) == state_of(trained)


@pytest.mark.filterwarnings("ignore:This process")
@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("ending", ["return", "stop", "exit", "_exit"])
def test_a_process_forked_by_a_callback_does_not_train_on(ending, prepared, options, state_of, tmp_path):
    if prepared:  # a thread reads the pairs
        for side in ("en", "hi"):
            lines = [" ".join(f"{side}{i * k % 11}" for k in range(1 + i % 6)) for i in range(300)]
            (tmp_path / f"text.{side}").write_text("\n".join(lines) + "\n")
        text = {"data.train": str(tmp_path / "text"), "data.prepare_above": 0, "data.cache": str(tmp_path / "cache")}
        options = {key: value for key, value in options.items() if key != "data.valid"} | text
    children = []

    def fork(report):
        if report.update != 20:
            return None
        children.append(os.fork())
        if children[-1] > 0:
            return None
        faulthandler.dump_traceback_later(60, exit=True)  # signals are blocked in a process that hangs
        if ending == "exit":
            sys.exit(3)
        if ending == "_exit":
            os._exit(3)
        return gl.STOP if ending == "stop" else None

    try:
        run = gl.train(options, run=tmp_path / "run", on_update=fork, progress=False)
    except (gl.Error, SystemExit) as error:
        if children[-1:] != [0]:
            raise
        os._exit(error.code if isinstance(error, SystemExit) else 3 if "an observer forked" in str(error) else 4)
    if children[-1] == 0:
        os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 3
    assert run.end == "max_updates"
    assert (tmp_path / "run" / "train.log").read_text().count("finished: ") == 1
    whole = gl.train(options, run=tmp_path / "whole", progress=False)
    assert state_of(run) == state_of(whole)


@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_that_lives_on_leaves_the_run_to_others(options, tmp_path):
    stops = multiprocessing.get_context("fork").Event()
    processes = []

    def fork(report):
        if report.update == 20:
            processes.append(multiprocessing.get_context("fork").Process(target=stops.wait, args=(60,)))
            processes[-1].start()

    try:
        run = gl.train(options, run=tmp_path / "run", on_update=fork, progress=False)
        assert gl.train(run=run.folder, resume=True, set={"train.max_updates": 70}).end == "max_updates"
    finally:
        stops.set()
        processes[0].join()
    assert processes[0].exitcode == 0


def test_a_second_ctrl_c_raises(options, tmp_path):
    def interrupt(report):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        gl.train(
            options | {"train.validate_every": 5},
            run=tmp_path / "run",
            on_update=interrupt,
            on_checkpoint=interrupt,
            progress=False,
        )


def test_a_callback_stops(trained, options, state_of, tmp_path):
    run = gl.train(
        options, run=tmp_path / "run", on_validation=lambda r: gl.STOP if r.update == 30 else None, progress=False
    )
    assert run.end == "stopped"
    gl.train(run=run, resume=True, progress=False)
    assert state_of(run) == state_of(trained)


def test_an_exception_of_a_callback_is_raised_after_saving(trained, options, state_of, tmp_path):
    class Special(Exception):
        pass

    def fail(report):
        if report.update == 7:
            raise Special("mine")

    with pytest.raises(Special, match="mine"):
        gl.train(options, run=tmp_path / "run", on_update=fail, progress=False)
    assert gl.load(tmp_path / "run", checkpoint="last").update == 7
    gl.train(run=tmp_path / "run", resume=True, progress=False)
    assert state_of(tmp_path / "run") == state_of(trained)


def test_callbacks_get_records(options, tmp_path):
    updates, validations, checkpoints = [], [], []
    run = gl.train(
        options,
        run=tmp_path / "run",
        on_update=updates.append,
        on_validation=validations.append,
        on_checkpoint=checkpoints.append,
        progress=False,
    )
    assert [r.update for r in updates] == list(range(1, 61))
    assert all(np.isfinite([r.loss, r.lr, r.grad_norm, r.seconds]).all() for r in updates)
    assert updates[-1].loss < updates[0].loss and updates[-1].part == 1
    assert [r.update for r in validations] == [30, 60] and validations[0].bleu is not None
    assert [r.update for r in checkpoints] == [30, 60] and checkpoints[0].file.suffix == ".ckpt"
    with pytest.raises(AttributeError):
        updates[0].loss = 0
    assert run.training["update"].tolist() == [10, 20, 30, 40, 50, 60]
    mean = np.mean([r.loss for r in updates[:10]])
    assert run.training["loss"][0] == pytest.approx(mean, rel=0.02)  # weighted by tokens
    assert run.validation["valid_loss"].tolist() == [r.loss for r in validations]
    with pytest.raises(KeyError, match="valid_bleu"):
        run.validation["bleu"]


def test_the_log_goes_to_logging_and_nothing_to_stderr(options, tmp_path, caplog, capfd):
    with caplog.at_level(logging.INFO, logger="glossa"):
        gl.train(options | {"optim.warmup": 100}, run=tmp_path / "run", progress=False)
    text = "\n".join(record.message for record in caplog.records)
    assert "model: " in text and "finished" in text
    assert any(record.levelno == logging.WARNING and "warm" in record.message for record in caplog.records)
    assert capfd.readouterr() == ("", "")


def test_handlers_and_masks_of_signals_stay(options, tmp_path):
    def signals():
        with open("/proc/self/status") as status:
            return [line for line in status if line.startswith(("SigBlk", "SigIgn", "SigCgt"))]

    before = signals(), signal.getsignal(signal.SIGINT)
    run = gl.train(options, run=tmp_path / "run", set={"train.max_updates": 3}, progress=False)
    run.load().translate("hello world")
    assert (signals(), signal.getsignal(signal.SIGINT)) == before


def test_callbacks_run_with_signals_as_before(trained, options, tmp_path):
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    best = trained.load()
    masks = []

    def observe(report):
        best.translate("hello world")
        gl.grad_check(lambda x: x * x, np.ones(2))
        masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, []))

    gl.train(options, run=tmp_path / "run", on_validation=observe, progress=False)
    assert masks == [before] * 2


def test_options_may_be_numbers_of_numpy(options, tmp_path):
    given = {"model.width": np.int64(16), "optim.lr": np.float32(0.5), "data.shared_vocabulary": np.bool_(False)}
    given["train.max_updates"] = 1
    assert gl.train(options | given, run=tmp_path / "run", progress=False).end == "max_updates"
    with pytest.raises(gl.Misuse, match="expected keys such as"):
        gl.train({1: 2}, run=tmp_path / "other")
    with pytest.raises(gl.Misuse, match="expected keys such as"):
        gl.train({"model": {1: 2}}, run=tmp_path / "other")


def test_set_overrides_options_of_either_form(options, tmp_path):
    forms = [{"optim.lr": 0.125, "optim.warmup": 7}, {"optim": {"lr": 0.125, "warmup": 7}}]
    others = [{"optim.lr": 0.25, "train.max_updates": 1}, {"optim": {"lr": 0.25}, "train": {"max_updates": 1}}]
    plain = {name: value for name, value in options.items() if not name.startswith("optim.")}
    for i, form in enumerate(forms):
        for j, other in enumerate(others):
            run = gl.train(plain | form, run=tmp_path / f"run-{i}{j}", set=other, progress=False)
            lines = (run.folder / "config.yaml").read_text().splitlines()
            values = {line.split(":")[0].strip(): line.split()[1] for line in lines if line.startswith("  ")}
            assert (values["lr"], values["warmup"], values["max_updates"]) == ("0.25", "7", "1u")
    for twice in ({"optim.lr": 1, "optim": {"lr": 1}}, {"optim": {"lr": 1}, "optim.lr": 1}):
        for arguments in ({"config": twice}, {"config": plain, "set": twice}):
            with pytest.raises(gl.Misuse, match="optim.lr. expected the option once"):
                gl.train(**arguments, run=tmp_path / "twice")
    with pytest.raises(gl.Misuse, match="decode.beam.*expected the option once"):
        gl.load(run, set={"decode.beam": 1, "decode": {"beam": 2}})


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"model.widht": 3}, "did you mean 'model.width'"),
        ({"model.width": "wide"}, "model.width: expected a whole number"),
        ({"model.width": 3, "model.heads": 2}, "model.heads"),
        ({"data.train": "nowhere"}, "nowhere"),
    ],
)
def test_bad_options(options, tmp_path, given, text):
    with pytest.raises(gl.Error, match=text):
        gl.train(options | given, run=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


def test_misuse_is_a_value_error_with_parts(tmp_path):
    with pytest.raises(ValueError) as raised:
        gl.train("no such recipe")
    assert isinstance(raised.value, gl.Misuse) and isinstance(raised.value, gl.Error)
    assert raised.value.where == "no such recipe" and "toy" in raised.value.hint
    with pytest.raises(gl.Misuse, match="folder of the run"):
        gl.train({"model.width": 8})
    with pytest.raises(gl.Misuse, match="expected a run to resume"):
        gl.train(run=tmp_path / "none", resume=True)
    with pytest.raises(gl.Misuse, match="expected text, a number"):
        gl.train({"model.width": object()}, run=tmp_path / "run")


def test_a_recipe_is_found_beside_a_folder_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkdir("toy")
    with pytest.raises(gl.Misuse, match="did you mean 'model.width'"):
        gl.train("toy", set={"model.widht": 3})
