import { expect, test } from 'vitest';
import { helmLines } from './listener-rules.ts';

test('when a listener joins, then its key is a Secret, and values are quoted', () => {
  const lines = helmLines({
    listener_id: 'id',
    key: 'rs_key',
    url: 'https://platform.test',
    namespace: 'agents',
    agent_url: 'https://agents.test/agents/{slug}',
    postgres_secret: 'postgres',
    chart: './the chart',
  });
  expect(lines).toEqual([
    'kubectl create namespace agents',
    'kubectl --namespace agents create secret generic roadstead-listener --from-literal=listener-key=rs_key',
    [
      "helm install roadstead './the chart' --namespace agents",
      '  --set platform.enabled=false',
      '  --set dataPlane.controlPlane.url=https://platform.test',
      '  --set dataPlane.controlPlane.listenerId=id',
      '  --set dataPlane.listenerKeySecret=roadstead-listener',
      String.raw`  --set 'dataPlane.agentUrl=https://agents.test/agents/\{slug\}'`,
      '  --set postgres.existingSecret=postgres',
    ].join(' \\\n'),
  ]);
});
