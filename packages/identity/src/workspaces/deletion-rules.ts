import type { Holdings } from '@roadstead/contracts';

const SHOWN = 5;

/** The reason why a workspace is not deleted; undefined when nothing prevents it. */
export function refusalOf(
  holdings: readonly Holdings[],
  { force }: { readonly force: boolean },
): { readonly message: string; readonly hint: string } | undefined {
  const items = holdings.flatMap((one) => one.items).filter(({ count }) => count > 0);
  const against = items.filter(({ must_go }) => must_go || !force);
  if (against.length === 0) return undefined;
  const named = against.map(({ kind, count, names }) => {
    const more = count > Math.min(names.length, SHOWN) ? ', …' : '';
    return `${count} ${kind} (${names.slice(0, SHOWN).join(', ')}${more})`;
  });
  return {
    message: `The workspace still has ${named.join('; ')}.`,
    hint: against.some(({ must_go }) => must_go)
      ? 'Delete the deployments and listeners first.'
      : 'Delete these first, or everything at once with force=true.',
  };
}
