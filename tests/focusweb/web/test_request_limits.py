"""How much may be sent, by whom, and to where."""

from urllib.parse import urlencode

import pytest
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from focusweb.web.request_limits import (
    MAX_BODY_BYTES,
    MAX_UPLOAD_BYTES,
    UPLOAD_PATHS,
    body_limit,
    upload_pass,
)
from tests.topics.factories import person

UPLOAD_PATH = "/ontologies/upload"
BIG = MAX_BODY_BYTES + 1


def test_the_paths_for_uploads_are_where_the_forms_lead() -> None:
    assert {reverse("ontology_upload"), reverse("topic_upload")} == UPLOAD_PATHS


def test_a_pass_is_for_the_upload_only() -> None:
    cookies = f"a=b; upload={upload_pass('1')}"

    for path in UPLOAD_PATHS:
        assert body_limit(path, cookies, "upload") == MAX_UPLOAD_BYTES
    assert body_limit("/login/", cookies, "upload") == MAX_BODY_BYTES


FORGED = {
    "none": "",
    "empty": "upload=",
    "unsigned": "upload=1",
    "wrong signature": "upload=1:x:y",
    "no names": "=;=;",
    "open quote": 'upload="',
    "zero byte": "\x00",
    "long name": "u" * 5000,
    "another name": f"other={upload_pass('1')}",
    "another salt": f"upload={signing.TimestampSigner(salt='another').sign('1')}",
}


@pytest.mark.parametrize("cookies", FORGED.values(), ids=FORGED.keys())
def test_a_forged_pass_is_none(cookies: str) -> None:
    assert body_limit(UPLOAD_PATH, cookies, "upload") == MAX_BODY_BYTES


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/login/", "/none", UPLOAD_PATH, "/unsubscribe/x/"])
def test_a_large_body_is_refused_with_a_sentence_in_the_readers_language(
    client: Client, path: str
) -> None:
    def status_and_text(language: str) -> tuple[int, str]:
        answer = client.post(
            path, b"x" * BIG, content_type="text/plain", headers={"accept-language": language}
        )
        return answer.status_code, answer.content.decode()

    status, text = status_and_text("en")
    assert status == 413
    assert "The upload is larger than 1 MiB" in text
    assert "上传的内容超过 1 MiB" in status_and_text("zh-hans")[1]


@pytest.mark.django_db
@pytest.mark.parametrize("length", ["-1", "1e9", "٣", "x"])
def test_a_length_that_is_no_number_is_refused(client: Client, length: str) -> None:
    answer = client.post("/login/", b"x", content_type="text/plain", CONTENT_LENGTH=length)
    assert answer.status_code == 413


@pytest.mark.django_db
def test_who_may_upload_gets_a_pass_with_the_form_and_loses_it_at_the_end(client: Client) -> None:
    client.force_login(person("root", is_superuser=True))
    assert "upload" not in client.get("/").cookies

    cookie = client.get(reverse("ontology_list")).cookies["upload"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    answer = client.post(UPLOAD_PATH, {"file": SimpleUploadedFile("x.ttl", b"x" * BIG)})
    assert answer.status_code == 422  # no ontology, but it was read
    assert client.post(reverse("logout")).cookies["upload"].value == ""


@pytest.mark.django_db
def test_who_may_not_upload_gets_no_pass(client: Client) -> None:
    client.force_login(person("ann"))
    assert "upload" not in client.get(reverse("ontology_list")).cookies


@pytest.mark.django_db
@pytest.mark.parametrize("total", ["100000000", "251", "9" * 5000])
def test_a_form_with_too_many_rows_is_refused_with_a_sentence(client: Client, total: str) -> None:
    client.force_login(person("root", is_superuser=True, is_staff=True))
    for path in ("/topics/chips/profile/", "/admin/topics/topic/add/"):
        answer = client.post(path, {"terms-TOTAL_FORMS": total, "terms-INITIAL_FORMS": "0"})
        assert answer.status_code == 400
        assert b"more than 250 rows" in answer.content
        assert len(answer.content) < 5000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "more than 2000 fields. Nothing was saved."), ("zh-hans", "表单超过 2000 个字段")],
)
def test_a_form_with_too_many_fields_is_refused_with_a_sentence(
    client: Client, language: str, sentence: str
) -> None:
    client.force_login(person("ann"))
    many = {f"field{number}": "x" for number in range(2001)}
    answer = client.post(
        "/new-topic/",
        urlencode(many),
        content_type="application/x-www-form-urlencoded",
        headers={"accept-language": language},
    )
    assert answer.status_code == 400
    assert sentence in answer.content.decode()
