from typing import get_args

import pytest

from ragsweep.text.keywords import Language, keywords, stop_words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the of and", []),
        ("Leaves LEAVE leaving", ["leav", "leav", "leav"]),
        ("What's a day", ["what", "day"]),  # single letters carry nothing
        ("form 4", ["form", "4"]),  # single digits do
        ("error ERR_4021.", ["error", "err", "4021", "err_4021"]),
        ("ISO-9001/2015", ["iso", "9001", "2015", "iso-9001/2015"]),
        ("state-of-the-art", ["state", "art"]),  # no digit: no code
        ("max__retries", ["max", "retri", "max__retries"]),
        ("oﬃce ＡＢＣ", ["offic", "abc"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("年", ["年"]),
        ("iPhone手机壳2", ["iphon", "手机", "机壳", "2"]),
        ("カタカナ、한국어", ["カタ", "タカ", "カナ", "한국", "국어"]),
        ("... _ -", []),
        ("", []),
    ],
)
def test_terms(text, terms):
    assert keywords(text) == terms


def test_a_code_is_found_whole_by_its_parts_and_by_other_joiners():
    document = set(keywords("raised ERR_4021 twice"))
    assert document & set(keywords("err_4021")) == {"err", "4021", "err_4021"}
    assert "4021" in document & set(keywords("error 4021"))


def test_stop_words_are_those_of_the_measured_baseline():
    stopwords = pytest.importorskip("bm25s.stopwords")
    assert stop_words("english") == set(stopwords.STOPWORDS_EN)


# ---- other languages and scripts ---------------------------------------------------------------------------------------


def test_every_language_of_the_stemmer_is_one_of_ours():
    import Stemmer

    assert set(get_args(Language)) == set(Stemmer.algorithms()) - {"porter", "dutch_porter"}  # both superseded


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("german", "Die Urlaubstage der Mitarbeiter", ["urlaubstag", "mitarbeit"]),
        ("german", "Größe GRÖSSE", ["gross", "gross"]),
        ("french", "les jours de l'année", ["jour", "anné"]),
        ("spanish", "los días de vacaciones", ["dias", "vacacion"]),
        ("russian", "дни отпуска и отпуск", ["дни", "отпуск", "отпуск"]),
        ("turkish", "ISPARTA ısparta İzin izin", ["ıspar", "ıspar", "iz", "iz"]),
        ("polish", "dni urlopu", ["dni", "urlop"]),
        ("hindi", "हिन्दी किताबें किताब", ["हिन्द", "किताब", "किताब"]),  # vowel signs and viramas belong to their letters
        ("tamil", "தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("arabic", "الكتاب كِتَاب", ["كتاب", "كتاب"]),
        ("yiddish", "דער טאָג", ["דער", "טאג"]),
        ("german", "年休二十日", ["年休", "休二", "二十", "十日"]),  # whatever the language
    ],
)
def test_terms_of_a_language(language, text, terms):
    assert keywords(text, language) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("พนักงาน", ["พนั", "นัก", "กง", "งา", "าน"]),  # marks stay with their letter
        ("ลา 20 วัน", ["ลา", "20", "วัน"]),
        ("ลา๒๐วัน", ["ลา", "๒๐", "วัน"]),
        ("น้ำ", ["น้ํา"]),  # sara am is two signs after NFKC, however it is typed
        ("ນ້ຳ ສະ", ["ນ້ໍາ", "ສະ"]),
        ("កក្កដា", ["កក្", "ក្ក", "កដា"]),
        ("ERR_4021ผิด", ["err", "4021", "err_4021", "ผิด"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs_of_letters_with_their_marks(text, terms):
    assert keywords(text) == terms


def test_thai_words_are_found_inside_a_sentence_without_spaces():
    sentence = set(keywords("พนักงานมีสิทธิ์ลาพักร้อนปีละยี่สิบวัน"))
    assert set(keywords("ลาพักร้อน")) <= sentence
    assert not set(keywords("เงินเดือน")) <= sentence
