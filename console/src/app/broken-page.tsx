import { useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Page } from '../design/page.tsx'
import { Empty } from '../design/state.tsx'
import { compareBuild, loadAgainOnce } from '../network/build.ts'
import { checkNetwork, useIsAway } from '../network/network.ts'
import { ScriptFailure, showAgain, useRouteError } from '../router/index.ts'

/** In place of a page that failed by a fault of the console, or whose script did not come. */
export function BrokenPage() {
  const error = useRouteError()
  if (error instanceof ScriptFailure) return <MissingScript />
  return (
    <Page title="This page failed">
      <Empty title="The page could not be shown." icon="alert" action={<LoadAgain />}>
        {error instanceof Error ? error.message : String(error)}.
      </Empty>
    </Page>
  )
}

const LoadAgain = () => (
  <Button tone="primary" icon="refresh" onClick={() => location.reload()}>
    Load it again
  </Button>
)

/** It comes by itself: when the network is back, or with the scripts of the Signet that runs now. */
function MissingScript() {
  const isAway = useIsAway()
  const [isStuck, setStuck] = useState(false)
  useEffect(() => {
    if (isAway) return undefined
    let isCurrent = true
    recover().then((isRecovering) => isCurrent && setStuck(!isRecovering))
    return () => {
      isCurrent = false
    }
  }, [isAway])
  if (isAway)
    return (
      <Page title="No connection">
        <Empty title="This page has not been loaded yet." icon="alert">
          There is no connection to Signet. The page opens by itself when the connection is back.
        </Empty>
      </Page>
    )
  if (!isStuck) return <Page title="Loading…">{null}</Page>
  return (
    <Page title="This page cannot be loaded">
      <Empty title="Signet does not give out the script of this page." icon="alert" action={<LoadAgain />}>
        A proxy in front of Signet may refuse it, or Signet is being upgraded. Load it again in a moment.
      </Empty>
    </Page>
  )
}

/** What was typed on the page before was let go of when it was left. A browser may keep that a script failed, until it loads the page again. */
async function recover(): Promise<boolean> {
  if (!(await checkNetwork())) return true
  const build = await compareBuild()
  if (build === 'unknown') return false
  if (build === 'same' && (await showAgain())) return true
  // Without a network it would end at a page of the browser.
  return !(await checkNetwork()) || loadAgainOnce()
}
