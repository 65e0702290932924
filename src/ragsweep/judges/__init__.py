"""Judges of answers: one file for each shape of a server. A judge is a language model beside the setups, of none of them."""
