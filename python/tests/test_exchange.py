"""A model goes to other programs' formats and back, and learns on."""

import pytest

import glossa as gl

LINES = ["hello world", "how are you", "the woman sees a big house"]


@pytest.fixture(scope="module")
def texts(command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    command("generate", "toy", "--out", folder, "--pairs", "2000")
    return folder


@pytest.fixture(scope="module")
def pieces(texts, tmp_path_factory):
    """A run of the recipe for other programs, of a small model."""
    options = {
        "data.train": texts / "train",
        "data.valid": texts / "valid",
        "data.source": "en",
        "data.target": "hi",
        "data.vocab_size": 500,
        "model.width": 32,
        "model.heads": 2,
        "model.feed_forward": 64,
        "model.encoder_layers": 1,
        "model.decoder_layers": 1,
        "optim.warmup": 10,
        "train.max_updates": 30,
        "train.validate_every": 30,
    }
    return gl.train("marian", run=tmp_path_factory.mktemp("runs") / "pieces", set=options, progress=False)


@pytest.mark.parametrize("form", ["huggingface", "marian"])
def test_to_a_format_and_back(pieces, tmp_path, form):
    pieces.export(**{form: tmp_path / form})
    languages = {"data.source": "en", "data.target": "hi"}
    back = gl.import_model(tmp_path / form, tmp_path / "run", set=languages)
    found, expected = (run.load(beam=3).translate(LINES) for run in (back, pieces))
    assert len(found) == len(LINES)
    assert form == "marian" or found == expected  # Marian has its sinusoids in another order than the recipe


def test_fine_tuning(pieces, texts, tmp_path):
    validations = []
    run = gl.train(
        "finetune",
        run=tmp_path / "tuned",
        set={
            "train.warm_start": pieces,
            "data.train": texts / "valid",
            "data.source": "en",
            "data.target": "hi",
            "train.max_epochs": 1,
        },
        on_validation=validations.append,
        progress=False,
    )
    assert run.end == "max_epochs"
    assert validations[0].update == 0 and validations[-1].loss < validations[0].loss


def test_formats_that_cannot_hold_the_model(trained, tmp_path):
    with pytest.raises(gl.Error, match="data.tokenizer"):
        trained.export(marian=tmp_path / "marian")
    assert not (tmp_path / "marian").exists()
    with pytest.raises(gl.Error):
        gl.import_model(tmp_path, tmp_path / "run")
