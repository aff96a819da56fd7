import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { leaveAnyway, stay, useLeaving } from '../router/index.ts'

/** Before a page is left on which something was changed and not saved. */
export const LeaveDialog = () => (
  <Dialog
    isOpen={useLeaving() !== undefined}
    title="Leave without saving?"
    onClose={stay}
    actions={
      <>
        <Button tone="danger" onClick={leaveAnyway}>
          Leave without saving
        </Button>
        <Button onClick={stay}>Stay</Button>
      </>
    }
  >
    <p>What you changed on this page is not saved. It is lost when you leave.</p>
  </Dialog>
)
