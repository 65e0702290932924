"""Equations of Office (OMML) on one line, as one types them: ``x^(n-k)``, ``1/(2a)``, ``∑_k^n``."""

from xml.etree.ElementTree import Element

_MARKS = {"m_sup": "^", "m_sub": "_", "m_num": "", "m_den": "/", "m_deg": ""}
_INTEGRAL = "∫"  # the sign of an operator that names none (ECMA-376, 22.1.2.20)


def typed(element: Element, inner: str) -> str:
    """The text of a part of an equation, where ``inner`` is what stands in it; of any other element ``inner``."""
    if element.tag in _MARKS and inner:
        return _MARKS[element.tag] + (inner if len(inner) == 1 or inner.isalnum() else f"({inner})")
    if element.tag == "m_d":
        return _sign(element, "m_dPr/m_begChr", "(") + inner + _sign(element, "m_dPr/m_endChr", ")")
    if element.tag == "m_nary":
        return _sign(element, "m_naryPr/m_chr", _INTEGRAL) + inner
    return "√" + inner if element.tag == "m_rad" else inner


def _sign(element: Element, path: str, default: str) -> str:
    found = element.find(path)
    return default if found is None else found.get("m_val", "")
