import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { plainContracts } from './build/plain-contracts.ts';

// oxlint-disable-next-line import/no-default-export -- Vite asks for it
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [plainContracts(), react(), tailwindcss()],
  build: { target: 'es2023', sourcemap: false, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
});
