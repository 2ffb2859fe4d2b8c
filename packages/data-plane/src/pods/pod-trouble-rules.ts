import type { ContainerStatus, KubernetesEvent, Pod } from '@roadstead/kubernetes';
import { containerTrouble, missingThings } from './container-trouble-rules.ts';
import type { PodTrouble, TroubleRow, WantedKeys } from './pod-trouble.ts';
import { refusalTrouble } from './refusal-trouble-rules.ts';
import { scheduleTrouble } from './schedule-trouble-rules.ts';
import { findTrouble } from './word-table-rules.ts';

/** What ended a pod as a whole: the reason of its status, and what it says, as one text. */
const ends: readonly TroubleRow[] = [
  {
    words: /^Evicted .*(?:ephemeral local storage|ephemeral-storage|EmptyDir volume|nodefs|imagefs|disk)/i,
    code: 'evicted',
    sentence: () =>
      'The node ended the pod: it, or all of the node, took too much disk. Write less; the operator sets the limit of one, by ROADSTEAD_HOST_DISK_MB.',
    passes: true,
  },
  {
    words: /^Evicted .*low on resource: (?<what>[\w-]+)/,
    code: 'evicted',
    sentence: ({ what }) =>
      `The node ended the pod, as it ran out of ${what}. Ask for as much as it takes, so that it is given a node with room.`,
    passes: true,
  },
  {
    words: /^Evicted /,
    code: 'evicted',
    sentence: () => 'The node ended the pod to make room.',
    passes: true,
  },
  {
    words: /^(?:NodeLost|DeletionByTaintManager|DeletionByPodGC) /,
    code: 'node_lost',
    sentence: () => 'The node was lost, and with it the pod.',
    passes: true,
  },
  {
    words: /^(?:Preempting|Preempted|PreemptionByScheduler) /,
    code: 'preempted',
    sentence: () => 'The pod had to make room for one of a higher priority.',
    passes: true,
  },
  {
    words: /^(?:Terminated|NodeShutdown|Shutdown|TerminationByKubelet|EvictionByEvictionAPI) /,
    code: 'node_drained',
    sentence: () => 'The node is being emptied or shut down, and the pod with it.',
    passes: true,
  },
  {
    words: /^DeadlineExceeded /,
    code: 'deadline_exceeded',
    sentence: () => 'The pod ran longer than it may, and was ended.',
  },
  {
    words: /^OutOf(?<what>\w+) /,
    code: 'unschedulable',
    sentence: ({ what }) => `The node had too little ${what} left when the pod came.`,
    passes: true,
  },
  {
    words: /^NodeAffinity /,
    code: 'unschedulable',
    sentence: () => 'The node no longer has the labels that the pod asks for.',
    passes: true,
  },
  {
    words: /^UnexpectedAdmissionError /,
    code: 'node_trouble',
    sentence: () => 'The node could not take the pod.',
    passes: true,
  },
];

/** What events say of a pod that waits for its node: reason and message, as one text. */
const waits: readonly TroubleRow[] = [
  ...missingThings.map((row) => ({
    ...row,
    words: new RegExp(`^FailedMount .*?(?:${row.words.source})`, 's'),
  })),
  {
    words: /^FailedAttachVolume Multi-Attach error/,
    code: 'volume_in_use',
    sentence: () => 'A volume is still attached to another node, where only one may have it.',
    passes: true,
  },
  {
    words: /^FailedAttachVolume (?:.*for volume "(?<volume>[^"]+)")?/s,
    code: 'volume_not_attached',
    sentence: ({ volume }) => `The volume${named(volume)} can’t be attached to the node, which tries again.`,
    passes: true,
  },
  {
    words:
      /^FailedMount (?:MountVolume.* for volume "(?<volume>[^"]+)"|.*unmounted volumes=\[(?<volumes>[^\]]+)\])?/s,
    code: 'volume_not_mounted',
    sentence: ({ volume, volumes }) =>
      `The volume${named(volume ?? volumes)} can’t be mounted by the node, which tries again.`,
    passes: true,
  },
  {
    words: /^FailedCreatePodSandBox /,
    code: 'node_trouble',
    sentence: () => 'The node can’t set up the pod’s network or its sandbox, and tries again.',
    passes: true,
  },
];

const named = (volume: string | undefined) => (volume === undefined ? '' : ` ${volume}`);

interface PodSurroundings {
  /** Those that are about the pod, in any order. */
  readonly events: readonly KubernetesEvent[];
  /** The container that the pod is for. What else stands beside it, such as what a webhook put there, keeps nobody from starting. */
  readonly container: string;
}

/**
 * What keeps a pod from running or has ended it; undefined where nothing does. The first that holds: its end as a whole, that no node
 * takes it, the containers that start before its own, in their order, its own, those beside it, what it waits for, its node.
 */
export function podTrouble(pod: Pod, { events, container }: PodSurroundings): PodTrouble | undefined {
  const {
    reason,
    message = '',
    conditions = [],
    initContainerStatuses = [],
    containerStatuses = [],
  } = pod.status ?? {};
  const told = newestFirst(events);
  const disruption = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  const end =
    (reason === undefined ? undefined : findTrouble(ends, `${reason} ${message}`)) ??
    (disruption === undefined ? undefined : findTrouble(ends, `${disruption.reason} ${disruption.message}`));
  if (end !== undefined) return end;
  const scheduled = conditions.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable')
    return scheduleTrouble(scheduled.message ?? '');
  const wanted = wantedBy(pod);
  const troubleIn = (status: ContainerStatus) =>
    containerTrouble(status, { pulled: pulledIn(told, status.image), wanted });
  for (const status of initContainerStatuses) {
    const trouble = patiently(status, troubleIn(status));
    if (trouble !== undefined) return trouble;
  }
  const isOwn = ({ name }: ContainerStatus) => name === container;
  for (const status of containerStatuses.toSorted(
    (one, other) => Number(isOwn(other)) - Number(isOwn(one)),
  )) {
    const trouble = troubleIn(status);
    if (trouble !== undefined) return isOwn(status) ? trouble : { ...trouble, passes: true };
  }
  return waitTrouble(pod, told) ?? nodeTrouble(pod, told);
}

/** A node that misses a Secret names no key. */
const wantedBy =
  ({ spec: { initContainers = [], containers } }: Pod): WantedKeys =>
  (secret) => {
    const variables = [...initContainers, ...containers].flatMap(({ env = [] }) => env);
    const keys = variables.flatMap(({ valueFrom }) =>
      valueFrom?.secretKeyRef?.name === secret ? [valueFrom.secretKeyRef.key] : [],
    );
    return [...new Set(keys)];
  };

/** How often an init container may fail: many wait so for something else. */
const PATIENCE = 3;

function patiently(
  { restartCount = 0 }: ContainerStatus,
  trouble: PodTrouble | undefined,
): PodTrouble | undefined {
  const isEnd = trouble?.code === 'container_ended' || trouble?.code === 'crash_loop';
  return isEnd && restartCount < PATIENCE ? { ...trouble, passes: true } : trouble;
}

/** What keeps pods from being made at all, by the events of what is to make them: of a ReplicaSet or a Job. */
export function makerTrouble(events: readonly KubernetesEvent[]): PodTrouble | undefined {
  const [latest] = newestFirst(events);
  return latest?.reason === 'FailedCreate' ? refusalTrouble(latest.message ?? '') : undefined;
}

/** Events stay for an hour, whatever became of what they are about: they count while the containers are not there yet. */
function waitTrouble(pod: Pod, told: readonly KubernetesEvent[]): PodTrouble | undefined {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  const is_made = containerStatuses.some(
    ({ state }) => !/^(?:ContainerCreating|PodInitializing)$/.test(state?.waiting?.reason ?? ''),
  );
  if (phase !== 'Pending' || is_made) return undefined;
  for (const { reason, message } of told) {
    const trouble = findTrouble(waits, `${reason} ${message}`, { wanted: wantedBy(pod) });
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** A node that is not ready says nothing of its pods: the control plane marks them, and gives them five minutes. */
function nodeTrouble({ status }: Pod, told: readonly KubernetesEvent[]): PodTrouble | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const [latest] = told;
  if (ready?.status === 'True' || latest?.reason !== 'NodeNotReady') return undefined;
  return { code: 'node_not_ready', sentence: 'The node of the pod does not answer.', passes: true };
}

function pulledIn(told: readonly KubernetesEvent[], image = ''): string | undefined {
  return told.find(
    ({ reason, message = '' }) =>
      reason === 'Failed' && message.startsWith(`Failed to pull image "${image}"`),
  )?.message;
}

function newestFirst(events: readonly KubernetesEvent[]): readonly KubernetesEvent[] {
  const at = ({ lastTimestamp, eventTime, metadata }: KubernetesEvent) =>
    Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '1970-01-01');
  return events.toSorted((one, other) => at(other) - at(one));
}
