import { findCluster } from '@roadstead/kubernetes';
import { isNamed } from '@roadstead/testing';
import { describe } from 'vitest';
import { openPodRuntime } from '../testing/cluster/open-pods.ts';
import { hostsSuite } from '../testing/hosts-suite.ts';
import { runtimeSuite } from '../testing/runtime-suite.ts';

/** A cluster, an image that its nodes have, with this Node and this checkout at the same paths, and the address of this machine among its pods. */
const {
  ROADSTEAD_TEST_KUBECONFIG: kubeconfig = '',
  ROADSTEAD_TEST_POD_IMAGE: image = '',
  ROADSTEAD_TEST_POD_ADDRESS: host = '',
} = process.env;
const can_run = isNamed('Graph hosts in pods are', {
  ROADSTEAD_TEST_KUBECONFIG: kubeconfig,
  ROADSTEAD_TEST_POD_IMAGE: image,
  ROADSTEAD_TEST_POD_ADDRESS: host,
});

describe.skipIf(!can_run)('in pods (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const open = async () =>
    openPodRuntime({ access: await findCluster({ kubeconfig, environment: {} }), host, image });

  runtimeSuite('pods of a cluster', open);
  hostsSuite('pods of a cluster', open);
});
