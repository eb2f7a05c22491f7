"""What Spark raises, told in one sentence without a value of the table."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.core import DataError, EngineError, IncrowdError

LIBRARIES = {"pyspark", "py4j", "grpc"}

_LOST = (
    "All masters are unresponsive",
    "An error occurred while trying to connect",
    "Answer from Java side is empty",
    "Connection refused",
    "Connection reset",
    "Error while obtaining a new communication channel",
    "SESSION_CLOSED",
    "SESSION_NOT_FOUND",
    "SparkContext was shut down",
    "UNAVAILABLE",
    "stopped SparkContext",
)

_KNOWN: tuple[tuple[tuple[str, ...], IncrowdError], ...] = (
    (
        ("maxResultSize",),
        EngineError(
            "The census is larger than Spark may send to this machine.",
            hint="raise spark.driver.maxResultSize, or begin at coarser levels with at_least.",
        ),
    ),
    (
        ("OutOfMemoryError", "Java heap space", "GC overhead", "UNABLE_TO_ACQUIRE_MEMORY"),
        EngineError("Spark ran out of memory.", hint="raise spark.driver.memory or spark.executor.memory."),
    ),
    (("No space left on device",), EngineError("The disk of a worker is full.", hint="set spark.local.dir elsewhere.")),
    (
        ("PATH_NOT_FOUND", "FileNotFoundException", "TABLE_OR_VIEW_NOT_FOUND", "FAILED_READ_FILE.FILE_NOT_EXIST"),
        DataError(
            "Spark does not find the table, or a file of it.",
            hint="check the path; every worker must see it. If it was rewritten meanwhile, open it again.",
        ),
    ),
    (
        ("UNABLE_TO_INFER_SCHEMA", "CANNOT_READ_FILE_FOOTER", "is not a Parquet file"),
        DataError("Spark finds no Parquet table there.", hint="check the path, and write the table as Parquet first."),
    ),
    (
        ("PATH_ALREADY_EXISTS",),
        DataError("Spark does not write there: something of that name exists.", hint="choose another name."),
    ),
    (
        ("PARQUET_TYPE_", "UNSUPPORTED_TIME_TYPE"),
        DataError(
            "The table has a column of a type that Spark does not read, such as timestamps in nanoseconds.",
            hint="write timestamps in microseconds and times of day as texts, or do without Spark.",
        ),
    ),
    (
        ("FileSystem not found", "No FileSystem for scheme"),
        EngineError(
            "Spark has no connector for the storage that this address names.",
            hint="add its package to Spark: for s3a:// that is org.apache.hadoop:hadoop-aws, as new as its Hadoop.",
        ),
    ),
    (
        ("SPARK_JOB_CANCELLED",),
        EngineError("Somebody cancelled the job on the cluster.", hint="run it again; nothing was published."),
    ),
    (
        _LOST,
        EngineError(
            "The Spark cluster was lost.", hint="look into its logs, start it and this again; nothing was published."
        ),
    ),
)


def trouble_with_spark(error: BaseException) -> IncrowdError | None:
    """Say what went wrong on a cluster; ``None`` if it was not Spark, or nothing that we know."""
    if not LIBRARIES & {type(one).__module__.partition(".")[0] for one in chain(error)}:
        return None
    message = "\n".join(map(str, chain(error)))
    return next((trouble for signs, trouble in _KNOWN if any(sign in message for sign in signs)), None)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Give an error and those behind it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
