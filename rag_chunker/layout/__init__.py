"""From words with boxes to structure: shared by every source that knows where its text stands.

Coordinates are points (or pixels) from the page's top left corner, y growing downwards. Nothing
here knows about PDF, OCR engines or blocks.
"""
