import type { Access } from '@roadstead/contracts';
import type { NamedPage } from './menu-entries.ts';

/** The access that a path needs: as much as the nearest page above it that has a name. */
export function accessAt(
  path: string,
  pages: readonly Pick<NamedPage, 'target' | 'needs'>[],
): Access | undefined {
  const below = path.replace(/^\/console(?=\/|$)/, '');
  const holds = ({ target: { to } }: Pick<NamedPage, 'target'>) =>
    to !== '/' && (below === to || below.startsWith(`${to}/`));
  return pages.filter(holds).toSorted((one, other) => other.target.to.length - one.target.to.length)[0]
    ?.needs;
}
