"""Pictures to text: the OCR engines, and the way of their results into a document.

Importing this package loads no engine; each loads when it is first asked for.
"""
