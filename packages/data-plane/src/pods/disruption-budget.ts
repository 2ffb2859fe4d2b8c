import type { KubernetesClient, OwnerReference } from '@roadstead/kubernetes';

interface BudgetOptions {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
  readonly replicas: number;
}

/** Where a group has several pods, whoever empties nodes takes one at a time; a single one is no reason to keep a node. */
export async function applyBudget(
  cluster: KubernetesClient,
  { name, labels, owner, replicas }: BudgetOptions,
): Promise<void> {
  if (replicas < 2) {
    await cluster.delete('poddisruptionbudgets', { name });
    return;
  }
  const metadata = { name, labels, ownerReferences: [owner] };
  const spec = { maxUnavailable: 1, selector: { matchLabels: labels } };
  await cluster.apply('poddisruptionbudgets', { metadata, spec }, { force: true });
}
