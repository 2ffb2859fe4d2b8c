import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followCaller } from './api/caller.ts';
import { queryClient } from './api/query-client.ts';
import { router } from './router.ts';
import { followServer } from './session/reload.ts';
import { setMenuEntries } from './shell/menu-entries.ts';
import { applyTheme } from './shell/theme.ts';
import { views } from './views/views.ts';
import './styles.css';

applyTheme();
setMenuEntries(
  views.flatMap(({ entries }) => entries),
  views.flatMap(({ pages = [] }) => pages),
);
followServer();
followCaller();
const place = document.getElementById('console');
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
