/** Lists the addresses of a Markdown text's links and pictures; those in code are no links. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~).*?^\1/gms, '').replace(/`[^`\n]*`/g, '');
  const links = prose.matchAll(/\]\(([^()\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g);
  return [...links].map(([, inline, attribute]) => inline ?? attribute ?? '');
}

/** Lists the anchors that a link may name after `#`: the headings of a Markdown text, as GitHub writes them. */
export function anchorsOf(markdown: string): Set<string> {
  const prose = markdown.replace(/^(```|~~~).*?^\1/gms, '');
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const copies = counts.get(anchor) ?? 0;
    counts.set(anchor, copies + 1);
    anchors.add(copies === 0 ? anchor : `${anchor}-${copies}`);
  }
  return anchors;
}

/** Whether a link leads to a file of the repository, and not to an address of the internet. */
export function isLocal(link: string): boolean {
  return !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(link);
}

/** The names in code that begin the rows of tables below a heading, up to the next heading. */
export function rowsBelow(markdown: string, heading: string): string[] {
  const [, after = ''] = markdown.split(`${heading}\n`);
  const [section = ''] = after.split(/^#/m);
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name);
}
