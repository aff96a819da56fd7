import { isRouteErrorResponse, useRouteError } from 'react-router'
import { Button, ButtonLink } from './button.tsx'
import { Page } from './page.tsx'
import { Empty } from './state.tsx'

export const MissingPage = () => (
  <Page title="No such page">
    <Empty title="There is no page at this address." action={<ButtonLink to="/">Home</ButtonLink>} />
  </Page>
)

/** A page that failed by a fault of the console, or whose script is gone because Signet was upgraded meanwhile. */
export function BrokenPage() {
  const error = useRouteError()
  const words = isRouteErrorResponse(error) ? error.statusText : error instanceof Error ? error.message : String(error)
  return (
    <Page title="This page failed">
      <Empty
        title="The page could not be shown."
        icon="alert"
        action={
          <Button tone="primary" icon="refresh" onClick={() => location.reload()}>
            Load it again
          </Button>
        }
      >
        {words}. If Signet was upgraded while the console was open, loading it again helps.
      </Empty>
    </Page>
  )
}
