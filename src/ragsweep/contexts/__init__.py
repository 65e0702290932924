"""What other systems return: checked, and found in the documents as hits.

JSON, or an object of Python -> Context -> Hit, with the texts that stand in no document beside it
"""
