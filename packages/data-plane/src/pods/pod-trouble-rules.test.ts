import type { ContainerState, KubernetesEvent, Pod, PodStatus } from '@roadstead/kubernetes';
import { describe, expect, test } from 'vitest';
import { makerTrouble, podTrouble } from './pod-trouble-rules.ts';
import { refusalTrouble } from './refusal-trouble-rules.ts';

const IMAGE = 'registry.test:5000/team/agent:2';
const podOf = (status: PodStatus): Pod => ({
  metadata: { name: 'host' },
  spec: { containers: [{ name: 'host', image: IMAGE }] },
  status,
});
const troubleOf = (pod: Pod, events: readonly KubernetesEvent[]) =>
  podTrouble(pod, { events, container: 'host' });
const waiting = (reason: string, message = '', lastState: ContainerState = {}): PodStatus => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'host', image: IMAGE, state: { waiting: { reason, message } }, lastState }],
});
const ended = (exitCode: number, reason: string, message = ''): ContainerState => ({
  terminated: { exitCode, reason, message },
});
const eventOf = (reason: string, message: string, at = '2026-11-29T00:00:00Z'): KubernetesEvent => ({
  metadata: { name: 'event' },
  involvedObject: { kind: 'Pod', name: 'host' },
  reason,
  message,
  lastTimestamp: at,
});

const pull = (words: string) =>
  `Back-off pulling image "${IMAGE}": ErrImagePull: failed to pull and unpack image "${IMAGE}": ${words}`;

/** Words of kubelets 1.24 to 1.37 with containerd. */
describe('images of pods', () => {
  test.each([
    [`failed to resolve reference "${IMAGE}": ${IMAGE}: not found`, 'image_not_found', false],
    ['no match for platform in manifest: not found', 'image_platform', false],
    [
      'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
      'image_denied',
      false,
    ],
    [
      'unexpected status from HEAD request to https://registry.test:5000/v2/: 401 Unauthorized',
      'image_denied',
      false,
    ],
    [
      '429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit',
      'registry_busy',
      true,
    ],
    [
      'failed to do request: Head "https://registry.test:5000/v2/team/agent/manifests/2": dial tcp 10.0.0.7:5000: connect: connection refused',
      'registry_away',
      true,
    ],
    [
      'failed to do request: Head "https://x/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      'registry_away',
      true,
    ],
    ['failed to extract layer: write /x: no space left on device', 'disk_full', false],
    ['something new', 'image_not_fetched', false],
  ])('when an image can’t be fetched because of “%s”, then the code is %s', (words, code, passes) => {
    const found = troubleOf(podOf(waiting('ImagePullBackOff', pull(words))), []);
    expect(found).toMatchObject({ code, passes });
    expect(found?.sentence).toContain(IMAGE);
    expect(found?.sentence).not.toContain('10.0.0.7');
  });

  test('when only an event says why, then that is read', () => {
    const status = waiting('ImagePullBackOff', `Back-off pulling image "${IMAGE}"`);
    const failed = eventOf('Failed', `Failed to pull image "${IMAGE}": rpc error: ${IMAGE}: not found`);
    expect(troubleOf(podOf(status), [failed])?.code).toBe('image_not_found');
  });

  test('when the node may not fetch an image, or its name is unfit, then that is said', () => {
    const never = waiting(
      'ErrImageNeverPull',
      `Container image "${IMAGE}" is not present with pull policy of Never`,
    );
    expect(troubleOf(podOf(never), [])).toMatchObject({
      code: 'image_not_found',
      sentence: expect.stringContaining('Never'),
    });
    const unfit = waiting(
      'InvalidImageName',
      `Failed to apply default image tag "${IMAGE}": couldn't parse image name`,
    );
    expect(troubleOf(podOf(unfit), [])?.code).toBe('image_name');
  });
});

/** The state of a container, the code, and a piece of the sentence. */
test.each<[string, PodStatus, string, string]>([
  [
    'a Secret is missing',
    waiting('CreateContainerConfigError', 'secret "db" not found'),
    'secret_missing',
    'Secret db',
  ],
  [
    'a ConfigMap is missing',
    waiting('CreateContainerConfigError', 'configmap "settings" not found'),
    'config_map_missing',
    'ConfigMap settings',
  ],
  [
    'a Secret lacks a key',
    waiting('CreateContainerConfigError', "couldn't find key password in Secret agents/db"),
    'key_missing',
    'The Secret db has no key password.',
  ],
  [
    'an image runs as root',
    waiting(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image will run as root (pod: "host_agents(c4a6)", container: host)',
    ),
    'image_runs_as_root',
    'USER',
  ],
  [
    'an image has a user by name',
    waiting(
      'CreateContainerConfigError',
      'container has runAsNonRoot and image has non-numeric user (node), cannot verify user is non-root',
    ),
    'image_runs_as_root',
    'the user node',
  ],
  [
    'a program is missing',
    waiting(
      'RunContainerError',
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "serve": executable file not found in $PATH: unknown',
    ),
    'image_entrypoint',
    'no program serve',
  ],
  [
    'it loops since a program is missing',
    waiting(
      'CrashLoopBackOff',
      'back-off 10s restarting failed container=host pod=host_agents(c4a6)',
      ended(
        128,
        'StartError',
        'OCI runtime create failed: exec: "/bin/serve": stat /bin/serve: no such file or directory',
      ),
    ),
    'image_entrypoint',
    '/bin/serve',
  ],
  [
    'an image is for another processor',
    waiting('CrashLoopBackOff', 'back-off', ended(128, 'StartError', 'exec /serve: exec format error')),
    'image_platform',
    'processor',
  ],
  [
    'an image has no command',
    waiting('CreateContainerError', 'failed to generate container "x" spec: no command specified'),
    'image_entrypoint',
    'no command',
  ],
  [
    'it takes too much memory',
    waiting('CrashLoopBackOff', 'back-off', ended(137, 'OOMKilled')),
    'out_of_memory',
    'memory',
  ],
  [
    'it ends again and again',
    waiting('CrashLoopBackOff', 'back-off', ended(3, 'Error')),
    'crash_loop',
    'exit code 3',
  ],
  [
    'it ends well again and again',
    waiting('CrashLoopBackOff', 'back-off', ended(0, 'Completed')),
    'crash_loop',
    'exit code 0',
  ],
  [
    'it has ended again',
    { phase: 'Running', containerStatuses: [{ name: 'host', state: ended(3, 'Error'), restartCount: 2 }] },
    'crash_loop',
    'exit code 3',
  ],
  [
    'its folder is none',
    waiting(
      'RunContainerError',
      'OCI runtime create failed: runc create failed: unable to start container process: error during container init: mkdir /bin/sh: not a directory: unknown',
    ),
    'image_entrypoint',
    'no folder /bin/sh',
  ],
  [
    'it has ended once',
    { phase: 'Failed', containerStatuses: [{ name: 'host', state: ended(1, 'Error') }] },
    'container_ended',
    'exit code 1',
  ],
  [
    'its node is gone for good',
    { phase: 'Failed', containerStatuses: [{ name: 'host', state: ended(137, 'ContainerStatusUnknown') }] },
    'node_lost',
    'node',
  ],
  [
    'an init container fails',
    {
      phase: 'Pending',
      initContainerStatuses: [{ name: 'fetch', state: ended(2, 'Error') }],
      containerStatuses: [{ name: 'host', state: { waiting: { reason: 'PodInitializing' } } }],
    },
    'container_ended',
    'fetch',
  ],
  [
    'it is evicted for memory',
    {
      phase: 'Failed',
      reason: 'Evicted',
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi. Container host was using 1Gi, request is 0, has larger consumption of memory. ',
    },
    'evicted',
    'ran out of memory',
  ],
  [
    'it is evicted for its disk',
    {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
    },
    'evicted',
    'disk',
  ],
  [
    'its node is lost',
    { reason: 'NodeLost', message: 'Node n1 which was running pod host is unresponsive' },
    'node_lost',
    'node',
  ],
  [
    'its node shuts down',
    {
      phase: 'Failed',
      reason: 'Terminated',
      message: 'Pod was terminated in response to imminent node shutdown.',
    },
    'node_drained',
    'shut down',
  ],
  [
    'it ran too long',
    {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    },
    'deadline_exceeded',
    'longer',
  ],
  [
    'the node has no room when it comes',
    {
      phase: 'Failed',
      reason: 'OutOfmemory',
      message: "Pod was rejected: Node didn't have enough resource: memory",
    },
    'unschedulable',
    'memory',
  ],
  [
    'it makes room for another',
    {
      phase: 'Running',
      conditions: [
        {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'PreemptionByScheduler',
          message: 'default-scheduler: preempting',
        },
      ],
    },
    'preempted',
    'priority',
  ],
])('when %s, then that is said', (_what, status, code, piece) => {
  const found = troubleOf(podOf(status), []);
  expect(found?.code).toBe(code);
  expect(found?.sentence).toContain(piece);
});

test.each([
  [
    '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
    ['too little cpu'],
    true,
  ],
  [
    '0/2 nodes are available: 1 Insufficient memory, 1 Insufficient nvidia.com/gpu.',
    ['too little memory', 'too little nvidia.com/gpu'],
    true,
  ],
  [
    "0/2 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    ['taints', 'labels'],
    true,
  ],
  [
    '0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
    ['taints', 'not ready'],
    true,
  ],
  ['0/1 nodes are available: 1 node(s) had volume node affinity conflict.', ['another zone'], true],
  [
    "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity.",
    ['another zone'],
    true,
  ],
  [
    "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind.",
    ['no volume'],
    true,
  ],
  ['0/1 nodes are available: 1 node(s) exceed max volume count.', ['as many volumes'], true],
  ['0/1 nodes are available: 1 node(s) did not have enough free storage.', ['too little storage'], true],
  [
    '0/1 nodes are available: 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.',
    ['only one may use'],
    true,
  ],
  [
    "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    ['apart from'],
    true,
  ],
  ["0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.", ['spread'], true],
  ["0/1 nodes are available: 1 node(s) didn't match the requested node name.", ['labels'], true],
  ['0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.', ['not bound'], true],
  [
    '0/1 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }.',
    ['not ready'],
    true,
  ],
  ['0/1 nodes are available: persistentvolumeclaim "data" not found.', ['no volume claim data'], false],
  ['0/1 nodes are available: 1 Too many pods.', ['as many pods'], true],
  ['0/1 nodes are available: 1 node(s) were unschedulable.', ['closed'], true],
  ['no nodes available to schedule pods', ['no node'], true],
  ['something new', ['No node of the cluster takes the pod.'], true],
])('when the scheduler says “%s”, then it is said why', (message, pieces, passes) => {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
  const found = troubleOf(podOf({ phase: 'Pending', conditions: [condition] }), []);
  expect(found).toMatchObject({ code: 'unschedulable', passes });
  for (const piece of pieces) expect(found?.sentence).toContain(piece);
});

test.each([
  [
    'FailedMount',
    'MountVolume.SetUp failed for volume "keys" : secret "db" not found',
    'secret_missing',
    'Secret db',
  ],
  [
    'FailedMount',
    'MountVolume.SetUp failed for volume "keys" : references non-existent secret key: password',
    'key_missing',
    'password',
  ],
  [
    'FailedMount',
    'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32',
    'volume_not_mounted',
    'volume data',
  ],
  [
    'FailedMount',
    'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition',
    'volume_not_mounted',
    'volume data',
  ],
  [
    'FailedAttachVolume',
    'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
    'volume_in_use',
    'another node',
  ],
  [
    'FailedAttachVolume',
    'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal',
    'volume_not_attached',
    'pvc-1',
  ],
  ['FailedCreatePodSandBox', 'Failed to create pod sandbox: rpc error', 'node_trouble', 'network'],
])('when an event %s says “%s”, then that is said', (reason, message, code, piece) => {
  const found = troubleOf(podOf(waiting('ContainerCreating')), [eventOf(reason, message)]);
  expect(found?.code).toBe(code);
  expect(found?.sentence).toContain(piece);
});

test.each([
  [
    'pods "host-1" is forbidden: exceeded quota: compute, requested: limits.memory=512Mi,requests.memory=512Mi, used: limits.memory=544Mi,requests.memory=544Mi, limited: limits.memory=1Gi,requests.memory=1Gi',
    'quota_exceeded',
    'limits.memory=512Mi',
  ],
  [
    'pods "host-1" is forbidden: failed quota: compute: must specify limits.cpu for: host; limits.memory for: host',
    'quota_unspecified',
    'limits.cpu',
  ],
  [
    'pods "host-1" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
    'limit_range',
    '1Gi',
  ],
  [
    'pods "host-1" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "host" must set securityContext.allowPrivilegeEscalation=false)',
    'pod_security',
    'allowPrivilegeEscalation',
  ],
  [
    'admission webhook "validate.kyverno.svc-fail" denied the request: resource Pod/agents/host was blocked\n\nrequire-labels: label team is required',
    'webhook_denied',
    'label team is required',
  ],
  [
    'Internal error occurred: failed calling webhook "mutate.mesh.io": failed to call webhook: Post "https://mesh.svc:443/": dial tcp 10.96.3.4:443: connect: connection refused',
    'webhook_away',
    'mutate.mesh.io',
  ],
  [
    "pods \"host-1\" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: only our registry",
    'policy_denied',
    'only our registry',
  ],
  [
    'pods "host-1" is forbidden: unable to create new content in namespace agents because it is being terminated',
    'namespace_terminating',
    'deleted',
  ],
  ['namespaces "agents" not found', 'namespace_missing', 'agents'],
  [
    'pods "host-1" is forbidden: error looking up service account agents/bot: serviceaccount "bot" not found',
    'service_account_missing',
    'bot',
  ],
  ['pods "host-1" is forbidden: no PriorityClass with name high was found', 'priority_class_missing', 'high'],
  [
    'pods is forbidden: User "system:serviceaccount:roadstead:listener" cannot create resource "pods" in API group "" in the namespace "agents"',
    'cluster_denied',
    'create pods',
  ],
])('when the API server refuses by “%s”, then that is said', (words, code, piece) => {
  expect(refusalTrouble(words)?.code).toBe(code);
  expect(refusalTrouble(words)?.sentence).toContain(piece);
  expect(refusalTrouble(words)?.sentence).not.toContain('10.96.3.4');
  expect(makerTrouble([eventOf('FailedCreate', `Error creating: ${words}`)])?.code).toBe(code);
});

test.each([
  ['CreateContainerConfigError', 'failed to sync secret cache: timed out waiting for the condition'],
  ['CreateContainerConfigError', 'failed to sync configmap cache: timed out waiting for the condition'],
  ['CreateContainerError', 'context deadline exceeded'],
  ['CreateContainerError', 'failed to reserve container name "host_agents(c4a6)": name is reserved'],
])('when a node is slow to start a container (%s, %s), then that passes', (reason, message) => {
  expect(troubleOf(podOf(waiting(reason, message)), [])).toMatchObject({ code: 'node_slow', passes: true });
});

test('when a maker succeeds after it failed, then nothing is said', () => {
  const failed = eventOf('FailedCreate', 'Error creating: namespaces "agents" not found');
  const made = eventOf('SuccessfulCreate', 'Created pod: host-1', '2026-11-29T00:00:01Z');
  expect(makerTrouble([failed, made])).toBeUndefined();
});

test('when a pod runs, then what events said before is over', () => {
  const status: PodStatus = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ name: 'host', state: { running: {} } }],
  };
  expect(troubleOf(podOf(status), [eventOf('FailedMount', 'secret "db" not found')])).toBeUndefined();
});

test('when the node of a pod does not answer, then that is said until it does', () => {
  const ready = (status: 'True' | 'False') =>
    podOf({ phase: 'Running', conditions: [{ type: 'Ready', status }] });
  const events = [eventOf('NodeNotReady', 'Node is not ready')];
  expect(troubleOf(ready('False'), events)?.code).toBe('node_not_ready');
  expect(troubleOf(ready('True'), events)).toBeUndefined();
});

test.each([
  ['CreateContainerConfigError', 'secret "db" not found'],
  ['CreateContainerConfigError', "couldn't find key password in Secret agents/db"],
])('when a Secret or its key is missing (%s, %s), then both are named', (reason, message) => {
  const secretKeyRef = { name: 'db', key: 'password' };
  const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef } }];
  const pod = {
    ...podOf(waiting(reason, message)),
    spec: { containers: [{ name: 'host', image: IMAGE, env }] },
  };
  const { sentence = '', passes } = troubleOf(pod, []) ?? {};
  expect(sentence).toMatch(/Secret db\b/);
  expect(sentence).toMatch(/key password\b/);
  expect(passes).toBe(false);
});

test('when a container that a webhook put first keeps ending, then that ends nobody else', () => {
  const injected = { name: 'mesh', state: ended(1, 'Error'), restartCount: 4 };
  const status = waiting('ContainerCreating');
  const beside = { ...status, containerStatuses: [injected, ...(status.containerStatuses ?? [])] };
  expect(troubleOf(podOf(beside), [])).toMatchObject({ code: 'crash_loop', passes: true });
  const own = waiting('ErrImageNeverPull').containerStatuses ?? [];
  expect(troubleOf(podOf({ ...beside, containerStatuses: [injected, ...own] }), [])).toMatchObject({
    code: 'image_not_found',
    passes: false,
  });
});
