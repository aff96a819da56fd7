/**
 * What opens the link, from the fragment of the address, where no server sees it. It leaves the address at once, so that neither the
 * history nor a look at the screen keeps it.
 */
export function takeToken(): string {
  const token = location.hash.slice(1)
  if (token) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
