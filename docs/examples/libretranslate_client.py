"""LibreTranslate's own client, unchanged, on a server of `glossa serve`: languages, a translation, a list, errors.

    pip install libretranslatepy
    python3 docs/examples/libretranslate_client.py http://127.0.0.1:5000 SOURCE TARGET TEXT [EXPECTED]

Prints the answers, and ends with status 1 if one of them is wrong.
"""

import json
import sys
import urllib.error
import urllib.request

from libretranslatepy import LibreTranslateAPI


def check(holds, what):
    print(f"{'ok' if holds else 'WRONG'}: {what}")
    if not holds:
        sys.exit(1)


def status_of(call):
    """The HTTP status with which a call fails, and the server's error."""
    try:
        call()
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())["error"]
    return 200, ""


def main(url, source, target, text, expected=None):
    client = LibreTranslateAPI(url)

    languages = client.languages()
    print(languages)
    check(any(each["code"] == source and target in each["targets"] for each in languages),
          f"{source} is a language with the target {target}")

    translation = client.translate(text, source, target, timeout=10)
    print(f"{text} -> {translation}")
    check(translation if expected is None else translation == expected, "a translation")
    check(client.translate(text, "auto", target) == translation, "the same from auto")
    check(client.translate(f"{text}\n\n{text}\n", source, target) == f"{translation}\n\n{translation}\n",
          "lines and their ends are kept")

    # The client sends forms; a list goes as JSON.
    body = json.dumps({"q": [text, ""], "source": source, "target": target}).encode()
    request = urllib.request.Request(f"{client.url}translate", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        check(json.load(response)["translatedText"] == [translation, ""], "a list")

    for what, call in {
        "languages that are not served": lambda: client.translate(text, source, "xx"),
        "a NUL character": lambda: client.translate("\0", source, target),
    }.items():
        status, error = status_of(call)
        check(status == 400 and error, f"{what}: {status}, {error}")


if __name__ == "__main__":
    if not 5 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
