import type { FakeObject } from './fake-store.ts';

type Judge = (object: FakeObject) => boolean;

/** Selects by labels (`a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`) and by fields (`metadata.name=b`). */
export function selectionOf(labels: string, fields: string): Judge {
  const judges = [
    ...labels
      .split(/,(?![^(]*\))/)
      .filter(Boolean)
      .map(labelJudge),
    ...fields.split(',').filter(Boolean).map(fieldJudge),
  ];
  return (object) => judges.every((judge) => judge(object));
}

function labelJudge(term: string): Judge {
  const [, name = '', not = '', list = ''] = /^\s*(\S+)\s+(not)?in\s+\((.*)\)\s*$/.exec(term) ?? [];
  const of = (key: string) => (object: FakeObject) => object.metadata.labels?.[key.trim()];
  if (name !== '') {
    const values = list.split(',').map((value) => value.trim());
    return (object) => values.includes(of(name)(object) ?? '\0') === (not === '');
  }
  const [key = '', value] = term.split(/!=|==?/);
  if (value === undefined && key.startsWith('!')) return (object) => of(key.slice(1))(object) === undefined;
  if (value === undefined) return (object) => of(key)(object) !== undefined;
  return (object) => (of(key)(object) === value.trim()) === !term.includes('!=');
}

function fieldJudge(term: string): Judge {
  const [path = '', value = ''] = term.split(/!=|==?/);
  return (object) => {
    const found = path
      .split('.')
      .reduce<unknown>((within, part) => (within as Record<string, unknown> | undefined)?.[part], object);
    return ((found ?? '') === value) === !term.includes('!=');
  };
}
