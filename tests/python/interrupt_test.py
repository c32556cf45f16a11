"""Ctrl-C and other threads while C++ plans."""

import os
import signal
import threading
import unittest

import numpy

import allclear
from support import SHELF, impossible, problem


def interrupt_after(condition):
    """Sends SIGINT to this process once `condition` is set."""
    def work():
        condition.wait()
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=work)
    thread.start()
    return thread


class Interrupts(unittest.TestCase):
    def test_the_best_certified_plan_so_far_is_returned(self):
        found = threading.Event()

        def progress(step):
            if step["best"] is not None:  # a certified plan is there
                found.set()

        thread = interrupt_after(found)
        # Without the interrupt it would go on for ten minutes.
        plan = allclear.plan(SHELF / "task.yaml", improve="all", time_limit=600, progress=progress)
        thread.join()
        self.assertEqual(plan.status, "interrupted")
        self.assertTrue(plan.certified, plan.message)
        self.assertLess(plan.statistics["seconds"], 300)
        self.assertTrue(allclear.certify(plan.problem, plan.trajectory).clear)

    def test_without_a_plan_it_is_raised(self):
        p = impossible()
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        # Whenever the signal comes, there is no plan yet, and none within ten minutes.
        with self.assertRaises(KeyboardInterrupt):
            allclear.plan(p, time_limit=600, attempts=100000)
        timer.join()

    def test_the_exception_of_another_handler_is_raised(self):
        class TooLate(Exception):
            pass

        def handler(number, frame):
            raise TooLate()

        old = signal.signal(signal.SIGUSR1, handler)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        try:
            with self.assertRaises(TooLate):
                allclear.plan(impossible(), time_limit=600, attempts=100000)
        finally:
            timer.join()
            signal.signal(signal.SIGUSR1, old)

    def test_a_retiming_is_ended(self):
        p = problem()
        turns = numpy.linspace(0.0, 400.0, 100_000)
        rows = p.start + 0.1 * numpy.sin(numpy.outer(turns, 1.0 + 0.2 * numpy.arange(7)))
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):  # with rests at 10^5 corners
            allclear.retime(p, rows, tolerance=0.0)
        timer.join()
        self.assertEqual(allclear.retime(p, rows, time_limit=0.01).status, "timed_out")

    def test_an_exception_of_the_progress_function_ends_the_search(self):
        class Enough(Exception):
            pass

        def progress(step):
            raise Enough("enough")

        with self.assertRaisesRegex(Enough, "enough"):
            allclear.plan(problem(), progress=progress)


class Threads(unittest.TestCase):
    def test_another_thread_advances_while_planning(self):
        counted = [0]
        begun = threading.Event()

        def count():
            begun.wait()
            for _ in range(3_000_000):  # far more than fit into the moment before the call
                counted[0] += 1
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=count)
        thread.start()
        p = impossible()
        # The other thread ends the search, after it has counted: did the search keep the lock, it
        # would return at its time limit instead, with the counting still to be done.
        with self.assertRaises(KeyboardInterrupt):
            begun.set()
            allclear.plan(p, time_limit=120, attempts=100000)
            self.fail("the other thread was kept waiting")
        thread.join()
        self.assertEqual(counted[0], 3_000_000)

    def test_two_plans_at_once(self):
        plans = [None, None]

        def work(k):
            plans[k] = allclear.plan(problem(), improve="none", seed=3)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(plans[0].trajectory.json(), plans[1].trajectory.json())


if __name__ == "__main__":
    unittest.main()
