"""Whether a reply says that it does not answer, where its own flag does not tell: rules, made over half of labelled replies.

Precision and recall on the other half are in docs/decisions/generators.md.
"""

import json
import re

from ragsweep.text.keywords import keywords

LONGEST = 600
"""Characters of a statement that are looked at: the patterns take time with the square of its length."""

_SOURCE = (
    r"(?:doc\w*nts?|documentation|texts?|contexts?|passages?|excerpts?|chunks?|sections?|pages?|snippets?|sources?|materials?|"
    r"files?|informations?|provided|supplied|retrieved|given)"
)
"""What a model calls the chunks that it was given."""
_NOT = r"(?:\b(?:not|no|none|nothing|nowhere|neither|never|without|cannot|missing)\b|n['’]?t\b)"
_TOLD = (
    r"(?:contain\w*|mention\w*|stat(?:e|es|ed|ing)|specif\w+|provid\w+|includ\w+|address\w*|sa(?:y|ys|id)|give[ns]?|describ\w+|"
    r"cover\w*|report\w*|discuss\w*|indicat\w+|list(?:s|ed)?|explain\w*|f[io]u?nd|available|informations?|details?|among|"
    r"part of|tells?|have|answer\w*|about|present|disclos\w+|define[sd]?|refer\w*|appear\w*|data)"
)
_DONE = (
    r"(?:mentioned|specified|stated|given|provided|described|available|included|disclosed|discussed|listed|shown|found|answered|"
    r"defined|documented|known|explained|indicated|reported)"
)
_CANNOT = r"(?:can\s?not|can['’]t|could ?n['’]t|unable to)"
_IS_NOT = r"\b(?:is|are|was|were)(?:\s+not|n['’]t)"

_REFUSING = re.compile(
    "|".join(
        (
            rf"(?=.*\b{_SOURCE}\b).*{_NOT}.{{0,60}}?\b{_TOLD}\b",  # the documents do not say; no information in the text
            rf"(?=.*\b{_SOURCE}\b).*{_IS_NOT}\s+(?:\w+\s+)?in\b",  # it is not in the context
            rf"{_NOT}(?:\s+\w+){{0,2}}?\s+{_DONE}\b\W*$",  # those are not given
            rf"^\W*no\b.*\b(?:is|are|was|were) (?!found\b){_DONE}\b",  # no margin is reported; no effect was found is a finding
            r"\bno (?:mention|reference|indication|record|word|statement|explanation|answer|trace)\b"
            r"(?: (?:of|to|on|about|for)\b|\W*$)",
            r"\b(?:insufficient|not enough|lack\w*|missing|no)\s+(?:\w+\s+)?(?:information|details?|context|data)\b",
            rf"\b(?:i|we)\b.{{0,30}}?(?:{_NOT}|\bunable to\b).{{0,30}}?\b(?:find|answer|tell|help|know|determine|locate|"
            r"say (?:why|how|what|who)|enough|information|access)\b",
            r"\bi\b.{0,12}\b(?:see|found|find|have) (?:no|nothing|neither)\b",
            rf"\bi\b.{{0,20}}{_CANNOT} say\b",
            rf"(?:{_CANNOT}|\b(?:im|not )possible to\b).{{0,20}}\b(?:determined?|answer(?:ed)?|established?|inferr?(?:ed)?|"
            r"concluded?)\b",
            rf"{_CANNOT} (?:help|assist) with|{_CANNOT} (?:give|provide).{{0,12}}\banswer\b",
            rf"^\W*(?:unanswerable|unknown|n/?a|none found|no answer|not (?:{_DONE}|answerable|in the)\b.*)\W*$",
            rf"^\W*nothing\b.*\b(?:{_SOURCE}|mentions?)\b|\b(?:documents|texts|passages|pages|sections)\b.*\bhave nothing\b",
            r"\b(?:silent|quiet) (?:on|about|regarding)\b|\bleave\w*\b.*\b(?:open|unanswered|unsaid)\b",
            r"\bempty[- ]handed\b|\bcame up empty\b|\bno (?:way to (?:tell|know)|idea)\b",
            r"\b(?:outside|beyond) (?:of )?(?:the )?scope\b",
            r"\b(?:does|do|did)(?: not|n['’]t) (?:come up|appear|exist)\b",
            r"\b(?:kein\w*|nichts?)\b.*(?:angabe|information|enthalt|erwähn|genannt|dokument|text|kontext|beantwort|hervor|steht)",
            r"(?:angabe|information|enthalt|erwähn|dokument|text|kontext|beantwort|steht|sucht).*\b(?:kein\w*|nichts?|vergebens)\b",
            r"\b(?:ne|n['’]\w*|pas|rien|aucun\w*)\b.*(?:mention|indiqu|précis|trouv|contien|contexte|information|répondre)",
            r"\b(?:no|ningún\w*|nada|sin)\b.*(?:menciona|indica|contiene|especifica|información|responder|encontr|aparece|figura)",
            r"\b(?:non|nessun\w*)\b.*(?:menziona|indica|contien|informa|rispond|trov|riport)",
            r"\b(?:não|nenhum\w*)\b.*(?:menciona|indica|contém|informa|respond|encontr)",
            r"\b(?:geen|niets?)\b.*(?:informatie|vermeld|genoemd|gevonden|vinden|document|tekst|antwoord)",
            r"\b(?:nie|brak)\b.*(?:informacj|dokument|wspomin|zawier|podan|znal|odpowied|tekś)",
            r"\b(?:не|нет|ничего)\b.*(?:упом|указ|информ|документ|текст|ответ|содерж|най)",
            r"(?:記載|情報|言及|含まれ|見つか|答え|分かり|わかり).*(?:ない|ません|なかった|なく)",
            r"(?:没有|沒有|未|无法|無法|不).{0,10}(?:提及|提到|说明|說明|讲|講|提供|信息|找到|回答|包含|记载)",
            r"(?:정보|언급|문서|내용|답).*(?:없|않)",
        )
    ),
    re.IGNORECASE,
)
_POLITE = re.compile(
    "|".join(
        (
            r"^\W*(?:please|if you|you (?:should|may|could|can|might)|let me|feel free|for (?:more|further))\b",
            r"\b(?:let me know|happy to|contact|consult|check with|reach out|get in touch)\b",
            r"^\W*(?:i['’]?m sorry|sorry|i apologi[sz]e|unfortunately)\W*$",
            r"^\W*(?:they|the (?:\w+ ){0,2}(?:documents?|texts?|passages?|excerpts?|pages?|leaflets?|sections?)(?: \w+)?) "
            r"(?:only )?(?:deals?|describes?|concerns?|discuss(?:es)?|focus(?:es)?|covers?|(?:is|are) about)\b",
            r"^\W*(?:sources?|citations?|references?)\W|:\W*$",
        )
    ),
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`|(?<!\w)'[^'\n]+'(?!\w)")
_BETWEEN = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？，])|\n+|,?\s+but\s+(?=\w)")


def is_refusal(question: str, reply: str) -> bool:
    """Whether a reply as a whole says that it does not answer: no statement is left beside those that say so.

    Where others stand before a last one that says so, it refuses when that one speaks of what the question asks more than they
    do. What is quoted, polite or about the documents is no statement.

    >>> is_refusal("How long is parental leave?", "I'm sorry, the documents do not mention that. Please ask HR.")
    True
    >>> is_refusal("How many days?", "The policy says 25 days; it does not say whether they carry over.")
    False
    """
    said = [each for each in _BETWEEN.split(_QUOTED.sub("quoted", _inner(reply))) if re.search(r"\w", each)]
    kept = [(each, refuses) for each in said if (refuses := bool(_REFUSING.search(each[:LONGEST]))) or not _POLITE.search(each)]
    others = [each for each, refuses in kept if not refuses]
    if not others:
        return True
    last, refuses = kept[-1]
    return refuses and _shared(question, last) > max(_shared(question, each) for each in others)


def _inner(reply: str) -> str:
    """The answer of a reply in JSON, without its code fence; another reply as it is."""
    try:
        found = json.loads(re.sub(r"^```\w*\n|\n```$", "", reply.strip()))
    except ValueError:
        return reply
    answer = found.get("answer", reply) if isinstance(found, dict) else reply
    return "" if answer is None else str(answer)


def _shared(question: str, statement: str) -> int:
    return len(set(keywords(question, "english")) & set(keywords(statement, "english")))
