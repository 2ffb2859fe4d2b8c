import { getBillingUsage } from './get-billing-usage.ts';

export const usageTools = [getBillingUsage];
