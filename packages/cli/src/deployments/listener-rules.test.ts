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
    image: { repository: 'registry.test/roadstead', tag: '1' },
  });
  expect(lines).toEqual([
    'kubectl create namespace agents --dry-run=client --output yaml | kubectl apply --filename -',
    [
      "kubectl apply --filename - <<'SECRET'",
      'apiVersion: v1',
      'kind: Secret',
      'metadata: {"name":"roadstead-listener","namespace":"agents"}',
      'stringData: {"listener-key":"rs_key"}',
      'SECRET',
    ].join('\n'),
    '# The data plane begins once the Secret postgres is there, such as by:',
    '#   kubectl --namespace agents create secret generic postgres \\',
    '#     --from-literal=agents-url=postgres://USER:PASSWORD@HOST:5432/DATABASE',
    [
      "helm upgrade --install roadstead './the chart' --namespace agents",
      '  --set platform.enabled=false',
      '  --set image.repository=registry.test/roadstead',
      '  --set image.tag=1',
      '  --set dataPlane.controlPlane.url=https://platform.test',
      '  --set dataPlane.controlPlane.listenerId=id',
      '  --set dataPlane.listenerKeySecret=roadstead-listener',
      String.raw`  --set 'dataPlane.agentUrl=https://agents.test/agents/\{slug\}'`,
      '  --set postgres.existingSecret=postgres',
    ].join(' \\\n'),
  ]);
});
