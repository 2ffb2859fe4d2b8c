import type { PodTrouble, TroubleRow } from './pod-trouble.ts';
import { findTrouble } from './word-table-rules.ts';

/**
 * Words in which an API server refuses a pod: to whoever applies it, and to controllers, which say so in events (`FailedCreate`).
 * First to last: what a webhook says may contain the words of any other.
 * @see https://github.com/kubernetes/apiserver/tree/master/pkg/admission
 */
const refusals: readonly TroubleRow[] = [
  {
    words: /failed calling webhook "(?<hook>[^"]+)"/,
    code: 'webhook_away',
    sentence: ({ hook }) => `The cluster asks the webhook ${hook} about each pod, and it does not answer.`,
    passes: true,
  },
  {
    words: /admission webhook "(?<hook>[^"]+)" denied the request(?:: (?<why>[\s\S]*))?/,
    code: 'webhook_denied',
    sentence: ({ hook, why }) => `The webhook ${hook} of the cluster denies the pod${said(why)}`,
  },
  {
    words: /ValidatingAdmissionPolicy '(?<policy>[^']+)'.* denied request(?:: (?<why>[\s\S]*))?/,
    code: 'policy_denied',
    sentence: ({ policy, why }) => `The policy ${policy} of the cluster denies the pod${said(why)}`,
  },
  {
    words: /violates PodSecurity "(?<level>[\w-]+)(?::[^"]*)?": (?<why>[\s\S]*)/,
    code: 'pod_security',
    sentence: ({ level, why }) =>
      `The namespace takes only pods of the security level “${level}”, which this one does not reach${said(why)}`,
  },
  {
    words:
      /exceeded quota: (?<quota>[^,]+), requested: (?<asked>.+), used: (?<used>.+), limited: (?<limit>.+)/,
    code: 'quota_exceeded',
    sentence: ({ quota, asked, used, limit }) =>
      `The quota ${quota} of the namespace is full: ${asked} is asked for, ${used} is used, and ${limit} is the limit.`,
    passes: true,
  },
  {
    words: /failed quota: (?<quota>[^:]+): must specify (?<fields>.+)/,
    code: 'quota_unspecified',
    sentence: ({ quota, fields }) =>
      `The quota ${quota} of the namespace asks each pod to say its ${fields?.replaceAll(',', ', ')}: set these in resource_spec.`,
  },
  {
    words:
      /(?<end>maximum|minimum) (?<what>[\w.-]+) usage per (?<per>Container|Pod|PersistentVolumeClaim) is (?<limit>[\w.]+)/,
    code: 'limit_range',
    sentence: ({ end, what, per, limit }) =>
      `The namespace sets the ${end} of ${what} for each ${per?.toLowerCase()} to ${limit}, and this one asks for another.`,
  },
  {
    words: /(?:because it|namespace \S+) is being terminated/,
    code: 'namespace_terminating',
    sentence: () => 'The namespace is being deleted, and takes nothing new.',
  },
  {
    words: /namespaces "(?<namespace>[^"]+)" not found/,
    code: 'namespace_missing',
    sentence: ({ namespace }) => `The cluster has no namespace ${namespace}.`,
  },
  {
    words: /serviceaccounts? "(?<name>[^"]+)" not found/,
    code: 'service_account_missing',
    sentence: ({ name }) => `The namespace has no service account ${name}.`,
  },
  {
    words: /no PriorityClass with name (?<name>\S+) was found/,
    code: 'priority_class_missing',
    sentence: ({ name }) => `The cluster has no priority class ${name}.`,
  },
  {
    words: /User "[^"]*" cannot (?<verb>\w+) resource "(?<resource>[\w./-]+)"/,
    code: 'cluster_denied',
    sentence: ({ verb, resource }) =>
      `The cluster does not let this listener ${verb} ${resource}: its operator gives it the role of the Helm chart.`,
  },
];

/** The end of a sentence that quotes those who deny: their words are for the user, and are cut where they are long. */
const said = (why: string | undefined) => {
  const text = (why ?? '').trim().replace(/\s+/g, ' ').replace(/\.$/, '');
  return text === '' ? '.' : `: ${text.length > 400 ? `${text.slice(0, 400).toWellFormed()} …` : text}.`;
};

/** @param words those of the API server */
export const refusalTrouble = (words: string): PodTrouble | undefined => findTrouble(refusals, words);
