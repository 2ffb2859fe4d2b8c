/** The description of an API as a page. It runs no scripts: answers of agents are sandboxed. Pure. */

interface OpenApiDocument {
  readonly info?: { readonly title?: string; readonly version?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1c2024; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid #e4e6ea; padding: .35rem .5rem .35rem 0; vertical-align: top; }
td:first-child { width: 5rem; font-weight: 600; }
code { font-size: .93em; }
`;

export function docsPage(document: OpenApiDocument, { name }: { readonly name: string }): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary = '' }]) => ({ path, method, summary })),
  );
  const groups = Map.groupBy(operations, ({ path }) => path.split('/')[1] ?? '');
  const sections = [...groups].map(
    ([group, rows]) =>
      `<h2>${escaped(group)}</h2><table>${rows
        .map(
          ({ method, path, summary }) =>
            `<tr><td>${escaped(method.toUpperCase())}</td><td><code>${escaped(path)}</code><br>${escaped(summary)}</td></tr>`,
        )
        .join('')}</table>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(name)}</title><style>${STYLE}</style><h1>${escaped(name)}</h1><p>The same for programs: <a href="openapi.json">openapi.json</a>.</p>${sections.join('')}</html>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
