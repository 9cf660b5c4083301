"""The one file of a review: whole, escaped, and nothing in it comes from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest
from reviewed_game import reviewed

from suphx.web.assets import PAGE, as_script, fill, modules, review_page


class Elements(HTMLParser):
    """The elements of a page with what stands in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict, str]] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes), ""))

    def handle_data(self, data):
        if self.found:
            tag, attributes, before = self.found[-1]
            self.found[-1] = tag, attributes, before + data


def test_the_review_stands_in_the_file_as_it_is():
    elements = Elements(review_page(reviewed()).decode())
    (text,) = [text for tag, attributes, text in elements.found if attributes.get("id") == "review"]
    assert json.loads(text) == json.loads(reviewed().model_dump_json())


def test_no_element_names_a_file_or_an_address():
    elements = Elements(review_page(reviewed()).decode())
    for _, attributes, _ in elements.found:
        assert not {"src", "href", "srcset", "action"} & attributes.keys()
    styles = (PAGE / "style.css").read_text()
    assert "url(" not in styles and "@import" not in styles


def test_modules_ask_for_nothing_but_each_other():
    addresses = {name: re.findall(r"https?://[^\"')]*", text) for name, text in modules().items()}
    example = "https://tenhou.net/0/?log=..."  # shown where an address can be typed
    assert {each for found in addresses.values() for each in found} == {"http://www.w3.org/2000/svg", example}
    for name, text in modules().items():
        imports = re.findall(r"\bfrom \"([^\"]+)\"|\bimport\(\"([^\")]*)", text)
        for one, other in imports:
            assert (one or other).removeprefix("suphx/") in modules(), name


def test_the_script_holds_all_modules_that_it_needs_each_after_those_that_it_imports():
    elements = Elements(review_page(reviewed()).decode())
    (text,) = [text for _, attributes, text in elements.found if attributes.get("type") == "module"]
    held = re.findall(r"^const (\w+)_js = ", text, re.M)
    needed = ["file"]
    for name in needed:  # grows: what each module imports must be there
        imported = re.findall(r"from \"suphx/(\w+)\.js\"", modules()[f"{name}.js"])
        needed += [each for each in imported if each not in needed]
        assert all(held.index(each) < held.index(name) for each in imported)
    assert sorted(held) == sorted(needed) and held[-1] == "file"
    assert not re.search(r"^(import|export)\b|</script|<!--", text, re.M)


def test_the_policy_lets_only_this_script_run_and_nothing_load():
    page = review_page(reviewed()).decode()
    (policy,) = [attributes["content"] for _, attributes, _ in Elements(page).found if "http-equiv" in attributes]
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.S)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"


@pytest.mark.faults
def test_json_in_a_script_cannot_end_it():
    text = json.dumps({"name": "</script><!--\u2028&"}, ensure_ascii=False)
    safe = as_script(text)
    assert not set("<>&\u2028") & set(safe)
    assert json.loads(safe) == json.loads(text)


def test_a_template_is_filled_once_and_only_with_what_it_names():
    assert fill("{{a}} {{b}}", {"a": "{{b}}", "b": "1"}) == "{{b}} 1"
    with pytest.raises(KeyError):
        fill("{{c}}", {})
