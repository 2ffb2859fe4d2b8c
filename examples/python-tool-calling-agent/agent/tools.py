from datetime import date, datetime
from operator import add, mul, sub, truediv
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from langchain_core.tools import ToolException, tool

OPERATIONS = {"add": add, "subtract": sub, "multiply": mul, "divide": truediv}


@tool
def days_between(start: date, end: date) -> int:
    """Count the days from one date to another."""
    return (end - start).days


@tool
def calculate(operation: Literal["add", "subtract", "multiply", "divide"], a: float, b: float) -> str:
    """Do one step of arithmetic."""
    if operation == "divide" and b == 0:
        raise ToolException("Nothing can be divided by zero.")
    return f"{OPERATIONS[operation](a, b):.12g}"


@tool
def time_in(time_zone: str) -> str:
    """Tell the present date and time in a time zone of IANA, such as Europe/Lisbon."""
    try:
        return datetime.now(ZoneInfo(time_zone)).strftime("%A, %d %B %Y at %H:%M")
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ToolException(f"There is no time zone {time_zone}.") from error


TOOLS = [days_between, calculate, time_in]

for one in TOOLS:
    # The model reads the error, and may try again.
    one.handle_tool_error = True
