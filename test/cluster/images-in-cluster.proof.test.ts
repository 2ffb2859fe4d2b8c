import { useFixture } from '@roadstead/testing';
import { describe } from 'vitest';
import { badImagesSuite } from './images/bad-images-suite.ts';
import { lackingSuite } from './images/lacking-suite.ts';
import { fieldsSuite } from './images/fields-suite.ts';
import { lifeSuite } from './images/life-suite.ts';
import { address, openImageCluster } from './images/image-cluster.ts';
import { originalSuite } from './images/original-suite.ts';
import { has_cluster } from './installed-chart.ts';

if (has_cluster && address === '')
  process.stderr.write(
    'Images in a cluster are NOT TESTED: ROADSTEAD_TEST_POD_ADDRESS names no address at which pods find these tests.\n',
  );

/** Images as sources in a real cluster: the chart as it comes, from the first request to the last pod. */
describe.skipIf(!has_cluster || address === '')('images in a cluster (ROADSTEAD_TEST_KUBECONFIG)', () => {
  const cluster = useFixture(openImageCluster);

  lifeSuite(cluster);
  fieldsSuite(cluster);
  lackingSuite(cluster);
  badImagesSuite(cluster);
  originalSuite(cluster);
});
