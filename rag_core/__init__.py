"""What every stage agrees on: types, errors, and the SPI that plug-ins implement."""
