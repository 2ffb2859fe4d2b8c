import { expect, test } from 'vitest';
import { addresses, type Endpoint } from '../endpoints/endpoint.ts';
import { createOriginRouter, type OriginService, originServices } from './index.ts';

const all = (Object.entries(originServices) as [OriginService, Record<string, Endpoint>][]).flatMap(
  ([service, contract]) =>
    Object.entries(contract).flatMap(([operation, endpoint]) =>
      addresses(endpoint).map((address) => ({
        service,
        operation,
        method: endpoint.method,
        address,
        refused: endpoint.refused === true,
      })),
    ),
);

test('when any address of a contract is routed, then it goes to the contract’s own service', () => {
  const route = createOriginRouter();
  const strays = all.filter(({ service, address }) => route(address.replaceAll(/\{\w+\}/g, 'x')) !== service);
  expect(strays).toEqual([]);
  expect(all.length).toBeGreaterThan(600);
});

test('when all contracts are listed, then no two endpoints have one method and path', () => {
  const seen = new Map<string, string>();
  const twice = all.filter(({ method, address, operation, service }) => {
    const key = `${method} ${address.replaceAll(/\{\w+\}/g, '{}')}`;
    const before = seen.get(key);
    seen.set(key, `${service}.${operation}`);
    return before !== undefined;
  });
  expect(twice).toEqual([]);
});

test('when operations are listed, then their names read well, and a parameter has one name', () => {
  // What is refused is named after its address.
  const generated = all.filter(({ operation, address, refused }) => {
    if (refused) return false;
    const parameters = [...address.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => camel(`by_${name}`));
    return (
      parameters.some((by) => operation.toLowerCase().includes(by.toLowerCase())) ||
      /^(get|post)[A-Z]/.test(operation) ||
      operation.length > 40
    );
  });
  expect(generated.map(({ operation }) => operation)).toEqual([]);
  const templates = Map.groupBy(new Set(all.map(({ address }) => address)), (address) =>
    address.replaceAll(/\{\w+\}/g, '{}'),
  );
  expect([...templates.values()].filter((same) => same.length > 1)).toEqual([]);
});

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

test('when a summary is read, then it is a sentence, and not its path in words', () => {
  const endpoints = Object.values(originServices).flatMap((contract) => Object.values<Endpoint>(contract));
  const literals = (path: string) => path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  const machine = endpoints.filter(({ path, summary }) => {
    const parts = literals(path);
    const words = parts.join(' ').replaceAll(/[-_]/g, ' ');
    return parts.length > 1 && summary.toLowerCase().includes(words);
  });
  expect(machine.map(({ summary }) => summary)).toEqual([]);
  expect(endpoints.filter(({ summary }) => / or run /.test(summary))).toEqual([]);
});

test('when a path is an agent’s or unknown, then it belongs to no service here', () => {
  const route = createOriginRouter();
  expect([route('/agents/x/a2a/y'), route('/nonsense'), route('/')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
