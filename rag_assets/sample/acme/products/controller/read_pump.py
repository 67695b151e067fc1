"""Reads the state of a PC-4 controller once a minute and prints it as CSV."""

import csv
import sys
import time

from pymodbus.client import ModbusTcpClient

FIELDS = ("time", "running", "frequency_hz", "pressure_bar", "power_w")


def read_state(client: ModbusTcpClient) -> dict[str, object]:
    """The registers 0 to 12 as named values. Raises `OSError` if the controller is silent."""
    answer = client.read_holding_registers(0, count=13)
    if answer.isError():
        raise OSError(f"no answer from the controller: {answer}")
    registers = answer.registers
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "running": bool(registers[0] & 1),
        "frequency_hz": registers[2] / 10,
        "pressure_bar": registers[9] / 100,
        "power_w": registers[7],
    }


class Recorder:
    """Writes one line for each state, the header first."""

    def __init__(self, target) -> None:
        self._writer = csv.DictWriter(target, FIELDS)
        self._writer.writeheader()

    def add(self, state: dict[str, object]) -> None:
        self._writer.writerow(state)


def main(address: str) -> None:
    recorder = Recorder(sys.stdout)
    with ModbusTcpClient(address) as client:
        while True:
            recorder.add(read_state(client))
            time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1])
