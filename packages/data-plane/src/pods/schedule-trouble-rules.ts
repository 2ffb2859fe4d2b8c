import type { PodTrouble } from './pod-trouble.ts';

interface Hindrance {
  readonly words: RegExp;
  /** As one of several, within a sentence. */
  readonly phrase: (named: Readonly<Record<string, string>>) => string;
}

/** The one that neither a node that comes back nor one that is added ends. */
const missing_claim: Hindrance = {
  words: /persistentvolumeclaim "(?<claim>[^"]+)" not found/,
  phrase: ({ claim }) => `there is no volume claim ${claim}`,
};

/**
 * Why the scheduler finds no node, each for some of the nodes. All but a missing claim may pass: others leave room, a node comes back, or an
 * autoscaler adds one with the labels that are asked for.
 * @see https://github.com/kubernetes/kubernetes/tree/master/pkg/scheduler/framework/plugins
 */
const hindrances: readonly Hindrance[] = [
  missing_claim,
  {
    words: /unbound immediate PersistentVolumeClaims/,
    phrase: () => 'a volume claim is not bound to a volume',
  },
  {
    words: /didn't find available persistent volumes|non-existent pv/,
    phrase: () => 'there is no volume for a volume claim',
  },
  {
    words: /volume node affinity conflict|no available volume zone|PersistentVolume's node affinity/,
    phrase: () => 'a volume is in another zone or on another node',
  },
  {
    words: /exceed max volume count/,
    phrase: () => 'nodes have as many volumes as they take',
  },
  {
    words: /ReadWriteOncePod access mode|no available disk/,
    phrase: () => 'another pod uses a volume that only one may use',
  },
  {
    words: /did not have enough free storage/,
    phrase: () => 'there is too little storage left for a volume',
  },
  {
    words: /Insufficient (?<what>[\w./-]+)/,
    phrase: ({ what }) => `there is too little ${what?.replace(/[.,]$/, '')} left`,
  },
  { words: /Too many pods/, phrase: () => 'nodes have as many pods as they take' },
  { words: /free ports for the requested/, phrase: () => 'a port of the node is taken' },
  { words: /node\(s\) were unschedulable/, phrase: () => 'nodes are closed to new pods' },
  {
    words:
      /untolerated taint(?:\(s\))? \{(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io|ToBeDeleted)/,
    phrase: () => 'nodes are not ready, or are about to go',
  },
  {
    // Later versions of Kubernetes do not say which taint it is: that of a node that is not ready, too.
    words:
      /untolerated taint(?:\(s\))?(?! \{(?:node\.kubernetes\.io|node\.cloudprovider\.kubernetes\.io|ToBeDeleted))|taint .*didn't tolerate/,
    phrase: () => 'nodes have taints that it does not tolerate, or are not ready',
  },
  {
    words: /didn't match Pod's node affinity\/selector|didn't match node selector|the requested node name/,
    phrase: () => 'nodes lack the labels that it asks for',
  },
  {
    words: /pods? (?:anti-)?affinity/,
    phrase: () => 'pods that it must be near to, or apart from, leave no node',
  },
  { words: /topology spread/, phrase: () => 'its spread over zones or nodes allows none' },
  { words: /no nodes available/, phrase: () => 'the cluster has no node' },
];

/** @param message of the condition `PodScheduled`, or of an event `FailedScheduling` */
export function scheduleTrouble(message: string): PodTrouble {
  // What preemption might do is no hindrance of its own, and repeats their words.
  const [own = ''] = message.split(/\. preemption:/);
  const phrases = hindrances.flatMap(({ words, phrase }) =>
    [...own.matchAll(new RegExp(words, 'g'))].map(({ groups }) => phrase({ ...groups })),
  );
  const why = phrases.length === 0 ? '' : `: ${[...new Set(phrases)].join(', and ')}`;
  return {
    code: 'unschedulable',
    sentence: `No node of the cluster takes the pod${why}.`,
    passes: !missing_claim.words.test(own),
  };
}
