import { filterAgreementSuite } from '../testing/filter-agreement-suite.ts';

filterAgreementSuite({ filters: 400 });
