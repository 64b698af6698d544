
submit() {  # OPTIONS…: gives Slurm the job that comes through the pipe, and prints its number
    { printf '#!/bin/bash\n'; declare -p requeues; declare -f resumable; cat; } | sbatch \
        --parsable "${size[@]}" --requeue --open-mode=append --signal=B:USR1@120 \
        --kill-on-invalid-dep=yes "$@"
}

resumable() {  # COMMAND…: does it; near the time limit it is stopped, and goes on in a requeued job
    local status=0 late= element=${SLURM_ARRAY_JOB_ID-}_${SLURM_ARRAY_TASK_ID-}
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$SLURM_CPUS_PER_TASK}
    trap 'late=yes; kill -TERM $!' USR1
    "$@" &
    wait $! || status=$?
    if [ "$late" ]; then
        status=0
        wait $! || status=$?
        if [ $status = 143 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$requeues" ]; then
            [ $element = _ ] && element=$SLURM_JOB_ID  # which may be the whole array's
            scontrol requeue "$element"
        fi
    fi
    return $status
}

mkdir -p "$logs"
after=()  # bash before 4.4 takes an empty one for unset
if declare -F features > /dev/null; then
    job=$(features | submit --job-name="$name-features" --output="$logs/%x-%j.log" "$@")
    echo "features: job $job"
    after=(--dependency="afterok:$job")
fi
if declare -F runs > /dev/null; then
    job=$(runs | submit --job-name="$name" --output="$logs/%x-%A_%a.log" --array="$array" ${after[@]+"${after[@]}"} "$@")
    echo "$count: job array $job"
    after=(--dependency="afterok:$job")
fi
job=$(table | submit --job-name="$name-table" --output="$logs/%x-%j.log" ${after[@]+"${after[@]}"} "$@")
echo "table: job $job"
echo "logs: $logs"
