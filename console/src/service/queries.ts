import { SignetError } from '@signet/management'
import { MutationCache, QueryClient } from '@tanstack/react-query'
import { waitForSignIn } from './page-session.ts'
import { isForRecentSignIn } from './session.ts'

const maxRetries = 2

/** A request that may succeed later is made again, but never against a limit: that is shown with its time. */
const isWorthRetrying = (failures: number, error: unknown) =>
  failures < maxRetries && error instanceof SignetError && error.isTemporary && error.status !== 429

/**
 * After a change everything that is shown is read anew, once the page has dealt with it: what a change leads to is known to the
 * service alone. What never changes says so by `staleTime: 'static'`. It has the answers of one organization: pages of another are
 * another load of the console.
 */
export const queries: QueryClient = new QueryClient({
  mutationCache: new MutationCache({
    // Whatever sent it still waits for its end: a form, or a dialog.
    onError: (error, variables, _context, mutation) => {
      if (isForRecentSignIn(error)) waitForSignIn(() => mutation.execute(variables).catch(() => undefined))
    },
    onSettled: (_, error) => void (error || queries.invalidateQueries()),
  }),
  defaultOptions: {
    queries: { retry: isWorthRetrying, staleTime: 5_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
})
