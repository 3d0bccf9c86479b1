/** The graph of a flow, to be looked at, moved about and, where somebody may, changed. Keys lead from node to node along wires. */
import type { Issue, Node } from '@flow-service/client-sdk'
import { type Signal, useSignal } from '@preact/signals'
import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
  type ReactFlowProps,
} from '@xyflow/react'
import type { RefObject, TargetedKeyboardEvent } from 'preact'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'

import { CanvasContext, type CanvasOf } from './canvas-context.ts'
import { Card, type CardData, type CardNode } from './card.tsx'
import { type End, isStandIn, neighbours, type Wire, type Wires } from './graph.ts'
import type { FlowNow } from './live.ts'
import { heightOf, type Place, type Places, WIDTH } from './places.ts'
import { type DrawnWire, DrawWire } from './wire.tsx'

import '@xyflow/react/dist/base.css'
import './canvas.css'

/** What can be done to the graph, where somebody may change it. */
export interface CanvasEdit {
  readonly connect: (from: End, to: End) => void
  readonly remove: (nodes: readonly string[], wires: readonly Wire[]) => void
  /** Nodes that are chosen together. */
  readonly select: (nodes: ReadonlySet<string>) => void
  /** Something from the list of nodes, by its key. */
  readonly drop: (key: string, place: Place) => void
}

interface CanvasProps {
  readonly flow: string
  /** As `drawnNodes` gives them. */
  readonly nodes: readonly Node[]
  readonly wires: Wires
  /** Of every node. */
  readonly places: Places
  readonly now: FlowNow
  readonly issues: readonly Issue[]
  readonly categoryOf: CanvasOf['categoryOf']
  readonly chosen: string | null
  readonly choose: (node: string | null) => void
  /** Nodes have been moved there. */
  readonly move: (places: Places) => void
  /** Null: it is only looked at. */
  readonly edit?: CanvasEdit | null
  /** Nodes that are chosen together; only the chosen one unless given. */
  readonly selected?: ReadonlySet<string> | undefined
  /** Was just added: it comes into view and gets the focus. */
  readonly added?: string | null
}

/** What is dragged from the list of nodes onto the canvas: the key of an entry. */
export const DRAGGED = 'application/x-flow-service-node'
/** Below this size a card is its colour and its name. */
const FAR = 0.45
/** From so many nodes on only those that are seen are made. */
const MANY = 150
/** Up to so many nodes wires have labels. */
const LABELLED = 60

const nodeTypes = { card: Card }
const edgeTypes = { wire: DrawWire }
const fit = { maxZoom: 1, padding: 0.08 }
const noAttribution = { hideAttribution: true }
const deletes = new Set(['Delete', 'Backspace'])

export function Canvas(props: CanvasProps) {
  const { flow, nodes, now, categoryOf, edit = null } = props
  const isFar = useSignal(false)
  const view = useRef<ReactFlowInstance<CardNode, DrawnWire> | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const before = useRef<ReadonlySet<string>>(new Set())
  const { cards, edges, marked, change, mark } = useGraph(props)
  const canvas = useMemo<CanvasOf>(
    () => ({ flow, now, isFar, categoryOf, isEditable: edit !== null }),
    [flow, now, categoryOf, edit !== null],
  )
  const hear = useKeys(props, { box, view, cards, marked })
  const on = useAnswers(props, { box, view, before, isFar })
  return (
    <CanvasContext.Provider value={canvas}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the nodes, which have the focus */}
      <div
        class="canvas"
        ref={box}
        onKeyDown={hear}
        onPointerDownCapture={() => {
          // the library notices the key too late when the click comes with it
          before.current = props.selected ?? new Set()
        }}
      >
        <ReactFlow<CardNode, DrawnWire>
          {...on}
          nodes={cards}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          onNodesChange={change}
          onEdgesChange={mark}
          nodesConnectable={edit !== null}
          elementsSelectable
          edgesFocusable={edit !== null}
          deleteKeyCode={null}
          disableKeyboardA11y
          fitView
          fitViewOptions={fit}
          minZoom={0.08}
          onlyRenderVisibleElements={nodes.length > MANY}
          proOptions={noAttribution}
        >
          <Background gap={22} size={1.4} />
          <Controls showInteractive={false} fitViewOptions={fit} />
          {nodes.length > LABELLED / 10 ? <MiniMap pannable zoomable nodeStrokeWidth={3} /> : null}
        </ReactFlow>
      </div>
    </CanvasContext.Provider>
  )
}

interface Refs {
  readonly box: RefObject<HTMLDivElement | null>
  readonly view: RefObject<ReactFlowInstance<CardNode, DrawnWire> | null>
  /** What was chosen when the pointer went down. */
  readonly before: RefObject<ReadonlySet<string>>
  readonly isFar: Signal<boolean>
}

/**
 * What is done when the library tells of something. Always the same functions: each that changed would make the library look
 * at every node again, with each step of a drag.
 */
function useAnswers(props: CanvasProps, { box, view, before, isFar }: Refs) {
  const told = useRef(props)
  told.current = props
  return useMemo(
    (): Partial<ReactFlowProps<CardNode, DrawnWire>> => ({
      onInit: (made) => (view.current = made),
      onNodeClick(event, { id }) {
        const { edit, choose } = told.current
        if (event.ctrlKey || event.metaKey) edit?.select(toggled(before.current ?? new Set(), id))
        else if (!event.shiftKey) choose(id)
      },
      onDragOver: dragOver,
      onDrop: (event) => dropped(event, told.current.edit ?? null, view.current),
      onPaneClick: () => told.current.choose(null),
      onNodeDragStop: (_, __, moved) =>
        told.current.move(Object.fromEntries(moved.map(({ id, position }) => [id, position]))),
      onMove(_, { zoom }) {
        isFar.value = zoom < FAR
        box.current?.classList.toggle('far', zoom < FAR)
      },
      onConnect: (made) => connect(told.current.edit ?? null, made),
    }),
    [],
  )
}

interface KeysOf extends Pick<Refs, 'box' | 'view'> {
  readonly cards: readonly CardNode[]
  readonly marked: ReadonlySet<string>
}

/** Keys of the canvas, and the way to a node: along wires, or to one that was just added. */
function useKeys({ wires, choose, edit = null, added = null }: CanvasProps, { box, view, cards, marked }: KeysOf) {
  const goTo = (id: string | undefined): void => {
    if (id === undefined) return
    const known = box.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
    if (known) known.focus()
    else void view.current?.fitView({ nodes: [{ id }], maxZoom: 1 }).then(() => focusOn(box.current, id))
  }
  const isThere = cards.some(({ id }) => id === added)
  useEffect(() => {
    if (added === null || !isThere) return
    void view.current?.fitView(fit)
    return focusSoon(box, added)
  }, [added, isThere])
  return (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const at = event.target instanceof HTMLElement ? event.target.closest('.react-flow__node') : null
    const id = at?.getAttribute('data-id') ?? null
    if (event.key === '1' && !event.ctrlKey) void view.current?.fitView(fit)
    else if (event.key === 'Escape') choose(null)
    else if (edit !== null && deletes.has(event.key)) {
      const ids = toDelete(cards, at)
      edit.remove(
        ids.filter((one) => !isStandIn(one)),
        wires.wires.filter((wire) => marked.has(wire.id) || wire.id === wireAt(event.target)),
      )
    } else if (id !== null && event.key === 'Enter') choose(id)
    else if (id !== null && event.key.startsWith('Arrow')) goTo(along(event.key, id, wires.wires, cards))
    else return
    event.preventDefault()
  }
}

/** The library draws a new card a few frames later. */
function focusSoon(box: KeysOf['box'], id: string): () => void {
  let [frame, tries] = [0, 30]
  const look = (): void => {
    const card = box.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)
    if (card) card.focus({ preventScroll: true })
    else if ((tries -= 1) > 0) frame = requestAnimationFrame(look)
  }
  frame = requestAnimationFrame(look)
  return () => cancelAnimationFrame(frame)
}

/** The nodes and wires as the library draws them, and what it tells of them. */
function useGraph(props: CanvasProps) {
  const { nodes, wires, chosen } = props
  const [cards, setCards] = useState<CardNode[]>(() => cardsOf(props, []))
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  useEffect(
    () => setCards((known) => cardsOf(props, known)),
    [nodes, wires, props.places, props.issues, chosen, props.selected],
  )
  const edges = useMemo(
    () => edgesOf(wires.wires, nodes.length <= LABELLED, marked),
    [wires, nodes.length <= LABELLED, marked],
  )
  const told = useRef(props)
  told.current = props
  const change = useCallback((changes: NodeChange<CardNode>[]) => {
    const { edit, selected } = told.current
    const picked = pickedBy(changes, selected)
    if (picked !== null) edit?.select(picked)
    setCards((known) => applyNodeChanges(changes, known))
  }, [])
  const mark = useCallback((changes: EdgeChange<DrawnWire>[]) => setMarked((known) => markedBy(changes, known)), [])
  return { cards, edges, marked, change, mark }
}

const focusOn = (box: HTMLElement | null, id: string): void =>
  box?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`)?.focus()

/** What is known of cards, as their measures, stays. */
function cardsOf(
  { nodes, wires, places, issues, chosen, selected }: CanvasProps,
  known: readonly CardNode[],
): CardNode[] {
  const before = new Map(known.map((card) => [card.id, card]))
  return nodes.map((node) => {
    const card = before.get(node.id)
    const issue = worstOf(issues, node.id)
    const isSame = card?.data.node === node && card.data.elsewhere === wires.elsewhere && card.data.issue === issue
    return {
      ...card,
      id: node.id,
      type: 'card',
      position: places[node.id] ?? { x: 0, y: 0 },
      // a first guess, so that what is out of sight need not be made to be measured, and so that the library does not
      // forget where the ports of a card are when it is drawn anew before it was measured
      measured: card?.measured ?? { width: WIDTH, height: heightOf(node) },
      selected: selected?.has(node.id) ?? node.id === chosen,
      deletable: !isStandIn(node.id),
      ariaLabel: labelOf(node),
      data: isSame && card ? card.data : { node, elsewhere: wires.elsewhere, issue },
    }
  })
}

const labelOf = ({ id, title, type, ports }: Node): string => {
  const count = (direction: string): number => ports.filter((port) => port.direction === direction).length
  return `${title || id}, ${type}, ${count('input')} in, ${count('output')} out`
}

function worstOf(issues: readonly Issue[], node: string): CardData['issue'] {
  const own = new Set(issues.filter((issue) => issue.node === node).map(({ severity }) => severity))
  return (['error', 'warning', 'advisory'] as const).find((severity) => own.has(severity)) ?? null
}

const edgesOf = (wires: readonly Wire[], hasLabel: boolean, marked: ReadonlySet<string>): DrawnWire[] =>
  wires.map(({ id, message, from, to }) => ({
    id,
    type: 'wire',
    source: from.node,
    sourceHandle: from.port,
    target: to.node,
    targetHandle: to.port,
    selected: marked.has(id),
    ariaLabel: `${message}, from ${from.node} to ${to.node}`,
    data: { message, hasLabel },
  }))

function connect(edit: CanvasEdit | null, { source, sourceHandle, target, targetHandle }: Connection): void {
  if (sourceHandle == null || targetHandle == null) return
  edit?.connect({ node: source, port: sourceHandle }, { node: target, port: targetHandle })
}

/** The card that keys have led to, else all that are chosen. */
function toDelete(cards: readonly CardNode[], at: Element | null): string[] {
  const chosen = cards.filter(({ selected }) => selected).map(({ id }) => id)
  const id = at?.getAttribute('data-id') ?? null
  if (id === null || chosen.includes(id)) return chosen
  return chosen.length === 0 || at?.matches(':focus-visible') ? [id] : chosen
}

/** The wire that has the focus. */
const wireAt = (target: EventTarget | null): string | null =>
  target instanceof Element ? (target.closest('.react-flow__edge')?.getAttribute('data-id') ?? null) : null

function toggled(known: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(known)
  if (!next.delete(id)) next.add(id)
  return next
}

/** The nodes that are chosen together then; null when that stays as it is. */
function pickedBy(
  changes: readonly NodeChange<CardNode>[],
  known: ReadonlySet<string> = new Set(),
): ReadonlySet<string> | null {
  const picks = changes.flatMap((change) => (change.type === 'select' ? [change] : []))
  if (picks.length === 0) return null
  const next = new Set(known)
  for (const { id, selected } of picks) {
    if (selected) next.add(id)
    else next.delete(id)
  }
  return next
}

function markedBy(changes: readonly EdgeChange<DrawnWire>[], known: ReadonlySet<string>): ReadonlySet<string> {
  const next = new Set(known)
  for (const change of changes) {
    if (change.type === 'select' && change.selected) next.add(change.id)
    else if (change.type === 'select') next.delete(change.id)
  }
  return next
}

function dragOver(event: Pick<DragEvent, 'dataTransfer' | 'preventDefault'>): void {
  if (!event.dataTransfer?.types.includes(DRAGGED)) return
  event.preventDefault()
  event.dataTransfer.dropEffect = 'copy'
}

function dropped(event: DragEvent, edit: CanvasEdit | null, view: ReactFlowInstance<CardNode, DrawnWire> | null): void {
  const key = event.dataTransfer?.getData(DRAGGED)
  if (!key || !view) return
  event.preventDefault()
  edit?.drop(key, view.screenToFlowPosition({ x: event.clientX - WIDTH / 2, y: event.clientY - 20 }))
}

/** Where an arrow leads: sideways along the wires, up and down to the nearest node. */
function along(key: string, id: string, wires: readonly Wire[], cards: readonly CardNode[]): string | undefined {
  const here = cards.find((card) => card.id === id)?.position
  if (!here) return undefined
  const away = ({ position: { x, y } }: CardNode): number => Math.hypot(x - here.x, 2 * (y - here.y))
  const nearest = (among: readonly CardNode[]): string | undefined =>
    among.toSorted((a, b) => away(a) - away(b)).find((card) => card.id !== id)?.id
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const tied = neighbours(wires, id, key === 'ArrowLeft' ? 'before' : 'after')
    return nearest(cards.filter((card) => tied.includes(card.id)))
  }
  const isUp = key === 'ArrowUp'
  const place = (at: Place): boolean => (isUp ? at.y < here.y : at.y > here.y) && Math.abs(at.x - here.x) < 2 * WIDTH
  return nearest(cards.filter(({ position }) => place(position)))
}
