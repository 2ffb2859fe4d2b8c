import { BlockList, isIPv6 } from 'node:net';

/** Whether NetworkPolicies let one call another, as Kubernetes says what they mean: no cluster is asked. */

type Labels = Readonly<Record<string, string>>;

interface Selector {
  readonly matchLabels?: Labels;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly protocol?: string; readonly port: number }[];
}

export interface NetworkPolicy {
  readonly kind: string;
  readonly metadata: { readonly namespace: string };
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

/** A pod, or whatever else has an address. */
export type Place = { readonly namespace: string; readonly labels: Labels } | { readonly address: string };

export interface Call {
  readonly from: Place;
  readonly to: Place;
  readonly port: number;
  readonly protocol?: 'TCP' | 'UDP';
}

/** Both ends have a say: each is open until a policy selects it. */
export const mayCall = (policies: readonly NetworkPolicy[], call: Call): boolean =>
  allows(policies, 'Egress', call) && allows(policies, 'Ingress', call);

function allows(
  policies: readonly NetworkPolicy[],
  type: 'Ingress' | 'Egress',
  { from, to, port, protocol = 'TCP' }: Call,
): boolean {
  const [own, other] = type === 'Ingress' ? [to, from] : [from, to];
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      spec.policyTypes.includes(type) && isPeer(own, { podSelector: spec.podSelector }, metadata.namespace),
  );
  if (selecting.length === 0) return true;
  return selecting.some(({ metadata, spec }) =>
    (type === 'Ingress' ? spec.ingress : spec.egress)?.some((rule) => {
      const peers = (type === 'Ingress' ? rule.from : rule.to) ?? [];
      const ports = rule.ports ?? [];
      return (
        (peers.length === 0 || peers.some((peer) => isPeer(other, peer, metadata.namespace))) &&
        (ports.length === 0 || ports.some((one) => one.port === port && (one.protocol ?? 'TCP') === protocol))
      );
    }),
  );
}

function isPeer(place: Place, { podSelector, namespaceSelector, ipBlock }: Peer, own: string): boolean {
  if ('address' in place)
    return (
      ipBlock !== undefined &&
      isWithin(place.address, ipBlock.cidr) &&
      !(ipBlock.except ?? []).some((one) => isWithin(place.address, one))
    );
  if (ipBlock !== undefined) return false;
  const isThere =
    namespaceSelector === undefined
      ? place.namespace === own
      : selects(namespaceSelector, { 'kubernetes.io/metadata.name': place.namespace });
  return isThere && (podSelector === undefined || selects(podSelector, place.labels));
}

const selects = ({ matchLabels = {} }: Selector, labels: Labels) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

function isWithin(address: string, cidr: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  if ((family === 'ipv6') !== isIPv6(address)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}
