import type { PodTrouble } from './pod-trouble.ts';

interface Hindrance {
  readonly words: RegExp;
  /** As one of several, within a sentence. */
  readonly phrase: (named: Readonly<Record<string, string>>) => string;
  /** Whether room on the nodes decides it, which others may leave. */
  readonly passes?: true;
}

/**
 * Why the scheduler finds no node, each for some of the nodes.
 * @see https://github.com/kubernetes/kubernetes/tree/master/pkg/scheduler/framework/plugins
 */
const hindrances: readonly Hindrance[] = [
  {
    words: /persistentvolumeclaim "(?<claim>[^"]+)" not found/,
    phrase: ({ claim }) => `there is no volume claim ${claim}`,
  },
  {
    words: /unbound immediate PersistentVolumeClaims/,
    phrase: () => 'a volume claim is not bound to a volume',
    passes: true,
  },
  {
    words: /volume node affinity conflict|no available volume zone/,
    phrase: () => 'a volume is in another zone or on another node',
  },
  {
    words: /Insufficient (?<what>[\w./-]+)/,
    phrase: ({ what }) => `there is too little ${what?.replace(/[.,]$/, '')} left`,
    passes: true,
  },
  { words: /Too many pods/, phrase: () => 'nodes have as many pods as they take', passes: true },
  { words: /free ports for the requested/, phrase: () => 'a port of the node is taken', passes: true },
  { words: /node\(s\) were unschedulable/, phrase: () => 'nodes are closed to new pods', passes: true },
  {
    words:
      /untolerated taint(?:\(s\))? \{(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io|ToBeDeleted)/,
    phrase: () => 'nodes are not ready, or are about to go',
    passes: true,
  },
  {
    words:
      /untolerated taint(?:\(s\))?(?! \{(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io|ToBeDeleted))|taint .*didn't tolerate/,
    phrase: () => 'nodes have taints that it does not tolerate',
  },
  {
    words: /didn't match Pod's node affinity\/selector|didn't match node selector/,
    phrase: () => 'nodes lack the labels that it asks for',
  },
  {
    words: /pod (?:anti-)?affinity/,
    phrase: () => 'pods that it must be near to, or apart from, leave no node',
    passes: true,
  },
  { words: /topology spread/, phrase: () => 'its spread over zones or nodes allows none', passes: true },
  { words: /no nodes available/, phrase: () => 'the cluster has no node', passes: true },
];

/** @param message of the condition `PodScheduled`, or of an event `FailedScheduling` */
export function scheduleTrouble(message: string): PodTrouble {
  // What preemption might do is no hindrance of its own, and repeats their words.
  const [own = ''] = message.split(/\. preemption:/);
  const found = hindrances.flatMap(({ words, phrase, passes = false }) =>
    [...own.matchAll(new RegExp(words, 'g'))].map(({ groups }) => ({ text: phrase({ ...groups }), passes })),
  );
  const phrases = [...new Set(found.map(({ text }) => text))];
  const why = phrases.length === 0 ? '' : `: ${phrases.join(', and ')}`;
  return {
    code: 'unschedulable',
    sentence: `No node of the cluster takes the pod${why}.`,
    passes: found.length === 0 || found.some(({ passes }) => passes),
  };
}
