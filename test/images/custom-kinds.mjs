import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import { HTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import { stdin } from 'node:process';
import { json } from 'node:stream/consumers';

/**
 * Reads manifests as JSON, a list, and prints which of those of CloudNativePG and the Gateway API break their schemas. These take fields that they
 * don't know.
 */
const kinds = {
  'postgresql.cnpg.io/v1 Cluster': Cluster,
  'gateway.networking.k8s.io/v1 HTTPRoute': HTTPRoute,
};
const custom = /^(?:postgresql\.cnpg\.io|gateway\.networking\.k8s\.io)\//;

for (const one of await json(stdin)) {
  if (!custom.test(one.apiVersion)) continue;
  const name = `${one.apiVersion} ${one.kind}`;
  const Kind = kinds[name];
  try {
    if (Kind === undefined) throw new Error('has no schema here.');
    new Kind(one).validate();
  } catch (error) {
    process.stdout.write(`${name}: ${error.message}\n`);
  }
}
