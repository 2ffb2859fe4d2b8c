import { useFixture } from '@roadstead/testing';
import { describe } from 'vitest';
import { a2aServerSuite } from './deployed/a2a-server-suite.ts';
import { badImagesSuite } from './deployed/bad-images-suite.ts';
import { engineCutSuite } from './deployed/engine-cut-suite.ts';
import { openImagePlatform } from './deployed/image-platform.ts';
import { useTestImages } from './deployed/images.ts';
import { originalSuite } from './deployed/original-suite.ts';
import { specificationSuite } from './deployed/specification-suite.ts';
import { can_build } from './engine.ts';

/** Images as sources on a real engine, from the first request to the last container. */
describe.skipIf(!can_build)('deployed images (ROADSTEAD_TEST_ENGINE, ROADSTEAD_TEST_BASE_IMAGE)', () => {
  const images = useTestImages();
  const platform = useFixture(openImagePlatform);

  specificationSuite(platform, images);
  originalSuite(platform, images);
  a2aServerSuite(platform, images);
  badImagesSuite(platform, images);
  engineCutSuite(platform, images);
});
