import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const views = fileURLToPath(new URL('../../../packages/console/src/views', import.meta.url));

/** The paths of all views, below `/console`. Routes load pages, which only a browser can: so they are read as written. */
export const consolePaths: readonly string[] = globSync('*/*-routes.ts', { cwd: views }).flatMap((file) =>
  [...readFileSync(`${views}/${file}`, 'utf8').matchAll(/\bpath: '([^']+)'/g)].flatMap(
    ([, path]) => path ?? [],
  ),
);

/** Whether an address is one of a route; what stands first among the routes is not another's parameter. */
export const isOf = (route: string) => {
  const pattern = new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`);
  return ({ path }: { readonly path: string }) => pattern.test(path.replace(/\?.*/, ''));
};
