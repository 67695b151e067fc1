"""What every stage agrees on: types, errors and the SPI that parsers, OCR engines and chunkers implement."""
