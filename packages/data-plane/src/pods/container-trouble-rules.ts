import type { ContainerEnd, ContainerStatus } from '@roadstead/kubernetes';
import { pullFailure } from '../images/pull-failure-rules.ts';
import type { PodTrouble, TroubleRow, WantedKeys } from './pod-trouble.ts';
import { findTrouble } from './word-table-rules.ts';

/** Advice where nodes of a cluster fetch images, by the code of the failure; for the others that of engines fits. */
const pullHints: Readonly<Record<string, string>> = {
  image_denied: 'Name a Secret with a login at the registry in image_pull_secrets.',
  registry_busy: 'Wait, or name a Secret with a login at the registry in image_pull_secrets.',
  disk_full: 'The operator of the cluster makes room on its nodes.',
  registry_away:
    'Look at the name of the registry. The nodes of the cluster must reach it, and trust its certificate.',
  image_not_fetched: 'The events of the pod have the words of the node (kubectl describe pod).',
};

/** What a node says of things that a container names: in its environment, and in volumes. */
export const missingThings: readonly TroubleRow[] = [
  {
    words: /couldn't find key (?<key>\S+) in (?<kind>Secret|ConfigMap) (?:[^\s/]+\/)?(?<name>[^\s,:]+)/,
    code: 'key_missing',
    sentence: ({ key, kind, name }) => `The ${kind} ${name} has no key ${key}.`,
  },
  {
    words: /references non-existent (?<kind>secret|config) key: (?<key>\S+)/,
    code: 'key_missing',
    sentence: ({ kind, key }) =>
      `A ${kind === 'secret' ? 'Secret' : 'ConfigMap'} in a volume has no key ${key}.`,
  },
  {
    words: /secrets? "(?<name>[^"]+)" not found/,
    code: 'secret_missing',
    sentence: ({ name = '' }, wanted) => `The namespace has no Secret ${name}${keysIn(wanted(name))}.`,
  },
  {
    words: /configmaps? "(?<name>[^"]+)" not found/,
    code: 'config_map_missing',
    sentence: ({ name }) => `The namespace has no ConfigMap ${name}.`,
  },
  {
    words: /persistentvolumeclaims? "(?<name>[^"]+)" not found/,
    code: 'volume_claim_missing',
    sentence: ({ name }) => `The namespace has no volume claim ${name}.`,
  },
];

const keysIn = (keys: readonly string[]) =>
  keys.length === 0
    ? ''
    : `, of which ${keys.length === 1 ? 'the key' : 'the keys'} ${keys.join(', ')} ${keys.length === 1 ? 'is' : 'are'} wanted`;

/** Why a container could not be made or started, in the words of the node and of its runtime (containerd with runc, CRI-O with crun). */
const starts: readonly TroubleRow[] = [
  ...missingThings,
  {
    words: /image will run as root|runAsUser breaks non-root policy/,
    code: 'image_runs_as_root',
    sentence: () =>
      'Its image runs as root, which the pod may not: give the image a USER with a number, or set runAsUser.',
  },
  {
    words: /non-numeric user \((?<user>[^)]*)\)/,
    code: 'image_runs_as_root',
    sentence: ({ user }) =>
      `Its image runs as the user ${user}, of whom nobody knows that it is not root: give the image a USER with a number, or set runAsUser.`,
  },
  {
    words: /exec format error/i,
    code: 'image_platform',
    sentence: () => 'Its image is not for the kind of processor of the cluster’s nodes.',
  },
  {
    words: /no command specified|no command or entrypoint/i,
    code: 'image_entrypoint',
    sentence: () => 'Its image says no command that starts it.',
  },
  {
    words:
      /exec: "(?<program>[^"]+)": (?:executable file not found|stat \S+ no such file|no such file)|executable file [`"](?<other>[^`"']+)[`"'] not found/i,
    code: 'image_entrypoint',
    sentence: ({ program, other }) =>
      `Its image has no program ${program ?? other}, by which it is to start.`,
  },
  {
    words: /exec: "(?<program>[^"]+)": permission denied/i,
    code: 'image_entrypoint',
    sentence: ({ program }) => `The program ${program} of its image may not be executed.`,
  },
  {
    words: /chdir to cwd \("(?<folder>[^"]+)"\)|container init: mkdir (?<other>\S+): /,
    code: 'image_entrypoint',
    sentence: ({ folder, other }) =>
      `Its image has no folder ${folder ?? other} that its user may enter, in which it is to start.`,
  },
  {
    // The node waits for the Secrets and ConfigMaps that it watches for new pods.
    words: /context deadline exceeded|failed to reserve container name|failed to sync \S+ cache/i,
    code: 'node_slow',
    sentence: () => 'The node could not start it in time, and tries again.',
    passes: true,
  },
];

/** Reasons for which a container waits, whose message says more. */
const FETCHES = /^(?:ImagePullBackOff|ErrImagePull|ImageInspectError|RegistryUnavailable|ErrImageNeverPull)$/;
const STARTS =
  /^(?:CreateContainerConfigError|CreateContainerError|RunContainerError|PreCreateHookError|PreStartHookError|PostStartHookError)$/;

export interface ContainerSurroundings {
  /** What an event says of fetching its image, which older nodes do not repeat in its status. */
  readonly pulled: string | undefined;
  readonly wanted: WantedKeys;
}

/** What keeps one container of a pod from running; undefined where nothing does, or nothing is known yet. */
export function containerTrouble(
  { name, image = '', state, lastState, restartCount = 0 }: ContainerStatus,
  { pulled, wanted }: ContainerSurroundings,
): PodTrouble | undefined {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (reason === 'InvalidImageName')
    return { code: 'image_name', sentence: `The image has an unfit name: ${image}.`, passes: false };
  if (FETCHES.test(reason)) return fetchTrouble(image, { reason, said: `${message} ${pulled ?? ''}` });
  if (STARTS.test(reason)) return startTrouble(name, { said: message, wanted });
  // Between an end and the pause before the next start, an end is all that is said.
  const last =
    reason === 'CrashLoopBackOff'
      ? (endTrouble({ name, wanted }, lastState?.terminated) ?? wellEnded(name))
      : endTrouble({ name, wanted }, state?.terminated);
  if (last?.code !== 'container_ended' || (reason === '' && restartCount === 0)) return last;
  return { ...last, code: 'crash_loop', sentence: `It ends again and again. ${last.sentence}` };
}

function fetchTrouble(
  image: string,
  { reason, said }: { readonly reason: string; readonly said: string },
): PodTrouble {
  if (reason === 'ErrImageNeverPull')
    return {
      code: 'image_not_found',
      sentence: `The node does not have the image ${image}, and may not fetch it (imagePullPolicy: Never).`,
      passes: false,
    };
  // Names of images and registries may contain words of the table.
  const words = said.replace(/"[^"]*"/g, '').replaceAll(image, '');
  const { code, message, hint, passes } = pullFailure(image, words);
  return { code, sentence: `${message} ${pullHints[code] ?? hint}`, passes };
}

function startTrouble(
  name: string,
  { said, wanted }: { readonly said: string; readonly wanted: WantedKeys },
): PodTrouble {
  const other = {
    code: 'container_not_started',
    sentence: `The container ${name} could not be started. The events of the pod have the words of the node (kubectl describe pod).`,
    passes: false,
  };
  return findTrouble(starts, said, { wanted }) ?? other;
}

/** Undefined where it ended well, or not at all. */
function endTrouble(
  { name, wanted }: { readonly name: string; readonly wanted: WantedKeys },
  end: ContainerEnd | undefined,
): PodTrouble | undefined {
  if (end === undefined) return undefined;
  const { exitCode, signal, reason = '', message = '' } = end;
  if (reason === 'OOMKilled')
    return {
      code: 'out_of_memory',
      sentence: `The container ${name} took more memory than it may have, and was ended.`,
      passes: false,
    };
  if (reason === 'StartError' || reason === 'ContainerCannotRun')
    return startTrouble(name, { said: message, wanted });
  if (reason === 'ContainerStatusUnknown')
    return { code: 'node_lost', sentence: 'The node was lost, and with it the pod.', passes: true };
  if (exitCode === 0) return undefined;
  const how = signal === undefined || signal === 0 ? `with exit code ${exitCode}` : `by signal ${signal}`;
  return { code: 'container_ended', sentence: `The container ${name} ended ${how}.`, passes: false };
}

const wellEnded = (name: string): PodTrouble => ({
  code: 'container_ended',
  sentence: `The container ${name} ended with exit code 0.`,
  passes: false,
});
