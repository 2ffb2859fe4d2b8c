import { beforeAll, describe, expect, test } from 'vitest';
import {
  deploymentLabels,
  hostLabels,
  markLabels,
  serverLabels,
} from '../../packages/data-plane/src/pods/pod-names.ts';
import { has_helm, render, type Values } from './chart.ts';
import { type ManifestChecker, openManifestChecker } from './manifests.ts';
import { mayCall, type NetworkPolicy, type Place } from './network-policies.ts';

/** Who may call whom by the policies of the chart. That they are held to is the matter of a cluster's network. */

const names = { deployment_id: 'd-1234567890', revision_id: 'r-1234567890', name: 'agent' };
const marks = { owner: 'listener', life: 'life' };
const AGENTS = 'agents-agents';
const pods: Readonly<Record<string, Place>> = {
  'a host': {
    namespace: AGENTS,
    labels: hostLabels(names, { ...marks, language: 'python', group: 'g' }),
  },
  'another host': {
    namespace: AGENTS,
    labels: hostLabels({ ...names, deployment_id: 'd-2' }, { ...marks, language: 'javascript', group: 'h' }),
  },
  'a host elsewhere': {
    namespace: 'two',
    labels: hostLabels(names, { ...marks, language: 'python', group: 'g' }),
  },
  'a server': { namespace: AGENTS, labels: serverLabels(names, { ...marks, group: 'g' }) },
  'a build': { namespace: 'agents', labels: markLabels('build', marks) },
  'a stranger': { namespace: 'agents', labels: { app: 'other' } },
  'a stranger among agents': { namespace: AGENTS, labels: { app: 'other' } },
  'one that calls itself a host': { namespace: 'elsewhere', labels: deploymentLabels(names, marks) },
  'the DNS': { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  'another of the system': { namespace: 'kube-system', labels: { app: 'other' } },
  'the DNS of another': { namespace: 'elsewhere', labels: { 'k8s-app': 'kube-dns' } },
  'the ingress': { namespace: 'ingress', labels: { app: 'nginx' } },
  'the internet': { address: '203.0.113.7' },
  'the internet by IPv6': { address: '2001:db8::7' },
  'a private network': { address: '10.1.2.3' },
  'a private network by IPv6': { address: 'fd00::7' },
  'the metadata of a cloud': { address: '169.254.169.254' },
};

type Row = readonly [from: string, to: string, port: number, may: boolean];

/** What holds however the chart is installed with a platform. */
const always: readonly Row[] = [
  ['the data plane', 'the platform', 4101, true],
  ['the data plane', 'the platform', 4104, true],
  ['the data plane', 'the platform', 9999, false],
  ['a host', 'the platform', 4101, false],
  ['a server', 'the platform', 4102, false],
  ['a build', 'the platform', 4102, false],
  ['a stranger', 'the platform', 4102, false],
  ['the ingress', 'the platform', 4101, false],
  ['the internet', 'the platform', 4101, false],
  ['a host', 'the data plane', 4180, true],
  ['a server', 'the data plane', 4180, true],
  ['a host', 'the data plane', 4100, true],
  ['a host', 'the data plane', 4190, false],
  ['a build', 'the data plane', 4180, false],
  ['a stranger', 'the data plane', 4180, false],
  ['a stranger among agents', 'the data plane', 4180, false],
  ['one that calls itself a host', 'the data plane', 4180, false],
  ['the internet', 'the data plane', 4180, false],
  ['the data plane', 'a server', 8000, true],
  ['the data plane', 'a host', 8000, true],
  ['a host', 'another host', 8000, false],
  ['a host', 'a server', 8000, false],
  ['the platform', 'a server', 8000, false],
  ['a stranger', 'a server', 8000, false],
  ['a stranger among agents', 'a server', 8000, false],
  ['the internet', 'a server', 8000, false],
  ['the data plane', 'a build', 8000, false],
  ['a host', 'a build', 8000, false],
  ['a host', 'a stranger', 5432, false],
  ['a build', 'a stranger', 5432, false],
  ['a host', 'the internet', 443, true],
  ['a host', 'the internet by IPv6', 443, true],
  ['a build', 'the internet', 443, true],
  ['a host', 'a private network', 443, false],
  ['a server', 'a private network', 5432, false],
  ['a host', 'a private network by IPv6', 443, false],
  ['a build', 'a private network', 443, false],
  ['a host', 'the metadata of a cloud', 80, false],
  ['a build', 'the metadata of a cloud', 80, false],
  ['a host', 'the DNS', 53, true],
  ['a build', 'the DNS', 53, true],
  ['a server', 'the DNS', 5432, false],
  ['a host', 'a stranger', 53, false],
  ['a host', 'another of the system', 53, false],
  ['a build', 'the DNS of another', 53, false],
  ['a host', 'a private network', 53, false],
];

const postgres = { existingSecret: 'postgres' };
const elsewhere: Values = {
  postgres,
  platform: { enabled: false },
  dataPlane: {
    controlPlane: { url: 'https://platform.test', listenerId: '0199d3a0-0000-7000-8000-000000000001' },
    listenerKeySecret: 'listener',
    agentUrl: 'https://agents.test/agents/{slug}',
  },
};
const fromIngress = {
  ingressFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }],
};
const openShift = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } } }];
const toDatabase = {
  hostEgress: [{ to: [{ ipBlock: { cidr: '10.1.2.3/32' } }], ports: [{ protocol: 'TCP', port: 5432 }] }],
};

const cases: readonly (readonly [string, Values, readonly Row[]])[] = [
  [
    'nothing',
    { postgres },
    [
      ...always,
      ['the ingress', 'the data plane', 4100, true],
      ['the internet', 'the data plane', 4100, true],
      ['a stranger', 'the data plane', 4100, true],
      ['a build', 'the data plane', 4100, true],
      ['a host elsewhere', 'the data plane', 4180, false],
    ],
  ],
  [
    'who may call the edge',
    { postgres, networkPolicy: fromIngress },
    [
      ...always,
      ['the ingress', 'the data plane', 4100, true],
      ['the platform', 'the data plane', 4100, true],
      ['a build', 'the data plane', 4100, true],
      ['the ingress', 'the data plane', 4180, false],
      ['the internet', 'the data plane', 4100, false],
      ['a stranger', 'the data plane', 4100, false],
      ['one that calls itself a host', 'the data plane', 4100, false],
    ],
  ],
  [
    'which DNS there is',
    { postgres, networkPolicy: { dns: { to: openShift, ports: [5353] } } },
    [
      ['a host', 'the DNS of another', 5353, true],
      ['a build', 'the DNS of another', 5353, true],
      ['a host', 'the DNS of another', 53, false],
      ['a host', 'the DNS', 5353, false],
    ],
  ],
  [
    'that anybody may be asked for names',
    { postgres, networkPolicy: { dns: { to: [] } } },
    [
      ['a host', 'a private network', 53, true],
      ['a build', 'a stranger', 53, true],
    ],
  ],
  [
    'where agents may connect',
    { postgres, networkPolicy: toDatabase },
    [
      ['a host', 'a private network', 5432, true],
      ['a build', 'a private network', 5432, true],
      ['a host', 'a private network', 443, false],
      ['a host', 'the internet', 443, false],
      ['a host', 'the data plane', 4180, true],
    ],
  ],
  [
    'several namespaces of agents',
    { postgres, dataPlane: { agents: { furtherNamespaces: ['two'] } } },
    [
      ...always,
      ['a host elsewhere', 'the data plane', 4180, true],
      ['a host elsewhere', 'the data plane', 4100, true],
      ['a host elsewhere', 'a server', 8000, false],
      ['the data plane', 'a host elsewhere', 8000, true],
      ['a host elsewhere', 'a private network', 443, false],
    ],
  ],
  [
    'a data plane alone',
    elsewhere,
    [
      ['a host', 'the data plane', 4180, true],
      ['a host', 'the data plane', 4190, false],
      ['a host', 'the data plane', 4100, false],
      ['the ingress', 'the data plane', 4190, true],
      ['a stranger', 'the data plane', 4180, false],
      ['the data plane', 'a server', 8000, true],
      ['a stranger', 'a server', 8000, false],
      ['a host', 'the internet', 443, true],
      ['a host', 'a private network', 443, false],
    ],
  ],
  [
    'processes in place of pods',
    { postgres, dataPlane: { compute: 'process' } },
    [
      ['a stranger', 'the platform', 4102, false],
      ['the data plane', 'the platform', 4102, true],
      ['a stranger', 'the data plane', 4180, false],
      ['the ingress', 'the data plane', 4100, true],
    ],
  ],
  [
    'that there are none',
    { postgres, networkPolicy: { enabled: false } },
    [['a stranger', 'the platform', 4102, true]],
  ],
];

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly template?: { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };
  };
}

describe.skipIf(!has_helm)('the network policies of the chart (ROADSTEAD_TEST_HELM)', () => {
  let checker: ManifestChecker;
  beforeAll(async () => {
    checker = await openManifestChecker();
  });

  /** The pods of the chart by their last names, beside the others. */
  function placesOf(manifests: readonly Manifest[]): Readonly<Record<string, Place>> {
    const ours = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata: { namespace }, spec }) => {
        const labels = spec.template?.metadata.labels ?? {};
        const component = labels['app.kubernetes.io/component'] ?? '';
        return [`the ${component.replace('-', ' ')}`, { namespace, labels }] as const;
      });
    return { ...pods, ...Object.fromEntries(ours) };
  }

  test.each(cases)('when values say %s, then whoever may call another is as told', (_case, values, rows) => {
    const { text, refused } = render(values);
    expect(refused).toBe('');
    const manifests = checker.read(text) as Manifest[];
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as NetworkPolicy[];
    const places = placesOf(manifests);
    const told = rows.map(([from, to, port]) => {
      const [one, other] = [places[from], places[to]];
      if (one === undefined || other === undefined) throw new Error(`There is no ${from} or no ${to}.`);
      return [from, to, port, mayCall(policies, { from: one, to: other, port })];
    });
    expect(told).toEqual(rows);
  });
});
