"""Figures beside their budgets."""
from harness import table


class Report:
    """Figures with their budgets. A figure that could not be taken is None, and missed."""

    def __init__(self):
        self.figures = []

    def add(self, name, value, budget=None, unit="ms", rclone=None):
        """
        :param name: the same in every run
        :param budget: at most; None for what is only told
        :param rclone: the same of `rclone serve http`
        """
        holds = None if budget is None else value is not None and value <= budget
        self.figures.append({"name": name, "value": value, "unit": unit, "budget": budget, "rclone": rclone, "holds": holds})

    def show(self):
        def text(value, unit):
            if value is None:
                return "none"
            return f"{value:.3f}" if not unit else f"{value:.0f} {unit}" if abs(value) >= 20 else f"{value:.1f} {unit}"

        rows = [["figure", "measured", "budget", "", "rclone"]]
        for one in self.figures:
            state = {True: "ok", False: "missed", None: ""}[one["holds"]]
            rows.append([
                one["name"], text(one["value"], one["unit"]),
                "" if one["budget"] is None else text(one["budget"], one["unit"]), state,
                "" if one["rclone"] is None else text(one["rclone"], one["unit"])])
        table(rows)

    @property
    def status(self):
        return 1 if any(one["holds"] is False for one in self.figures) else 0
