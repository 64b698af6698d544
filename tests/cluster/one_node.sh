#!/bin/bash
# A Slurm of this machine alone, for a rehearsal: `one_node.sh start FOLDER`, `one_node.sh stop FOLDER`.
# Everything lies in FOLDER but munge's key and socket; its commands need SLURM_CONF=FOLDER/slurm.conf.
set -euo pipefail
action=$1
folder=$(realpath -m "$2")

start() {
    mkdir -p "$folder"/{state,spool}
    cat > "$folder/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$(hostname)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=30
NodeName=$(hostname) CPUs=4 RealMemory=64000 State=UNKNOWN
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 MaxTime=60
PartitionName=high Nodes=ALL PriorityTier=2 MaxTime=60
CONF
    mkdir -p /run/munge && chown munge: /run/munge
    munge -n > "$folder/munge.log" 2>&1 || runuser -u munge -- munged
    export SLURM_CONF=$folder/slurm.conf
    slurmctld
    slurmd
    for _ in $(seq 30); do
        [ "$(sinfo --noheader --format=%T --partition=low 2> "$folder/sinfo.log")" = idle ] && return
        sleep 1
    done
    echo "no node came up: see $folder/slurmctld.log and $folder/slurmd.log" >&2
    exit 1
}

stop() {
    for daemon in slurmd slurmctld; do
        if [ -s "$folder/$daemon.pid" ]; then kill "$(< "$folder/$daemon.pid")"; fi
    done
}

"$action"
