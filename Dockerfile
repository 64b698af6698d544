# The suite, for a CPU; for GPUs: --build-arg TORCH=cu126 (a folder of download.pytorch.org/whl).
#
#   docker build -t elmo-bench .
#   docker run --rm -v "$PWD/runs:/data/runs" -v elmo-cache:/data/cache elmo-bench task=pos
#   docker run --rm -v "$PWD/runs:/data/runs" elmo-bench report runs
#   docker run --rm --gpus all --shm-size 1g -v "$PWD/runs:/data/runs" elmo-bench-cuda task=pos
#
# On a cluster, with Apptainer: docs/scale.md.
FROM python:3.11-slim
ARG TORCH=cpu

RUN apt-get update && apt-get install -y --no-install-recommends gcc g++ git \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/elmo-bench
RUN pip install --no-cache-dir -U pip \
    && pip install --no-cache-dir torch==2.13.0 --index-url "https://download.pytorch.org/whl/${TORCH}"
COPY . .
RUN pip install --no-cache-dir -e '.[launchers]'

# Features, weights and data are kept in /data/cache: mount it to have them once.
ENV ELMO_BENCH_CACHE=/data/cache
WORKDIR /data
ENTRYPOINT ["elmo-bench"]
