/** Adds control flow to a graph under construction, so that operands, results and carried values match. */
import type { Node } from "../../bindings/types.ts";
import { type Bytes, GraphBuilder, type Made, type Readable } from "./graph_builder.ts";

/** What a submodule hands out at one position. */
interface Output {
  nbytes: number;
  isUnbound: boolean;
  /** Positions of placeholders whose bytes it may be. */
  placeholders: Set<number>;
  /** Bytes of the submodule that it may be. */
  sources: Set<Bytes>;
}

interface Submodule {
  name: string;
  inputs: { nbytes: number; isUnbound: boolean; isSlice: boolean }[];
  /** Positions whose operand it writes over. */
  written: Set<number>;
  outputs: Output[];
}

/** How many of the operands are carried and sliced, and how often loops turn. */
interface Shape {
  kind: "cond" | "while" | "map" | "scan";
  carried: number;
  mapped: number;
  turns: number;
}

interface Wanted {
  nbytes: number;
  isUnbound: boolean;
}

export function addControlFlow(builder: GraphBuilder): void {
  const { random } = builder;
  builder.calls.left--;
  const kind = random.pick(["cond", "cond", "cond", "while", "while", "map", "scan"] as const);
  if (kind === "cond") new ControlFlow(builder).cond();
  else if (kind === "while") new ControlFlow(builder).loop();
  else new ControlFlow(builder).over(kind);
}

class ControlFlow {
  constructor(private readonly builder: GraphBuilder) {}

  cond(): void {
    const { builder } = this;
    const { random } = builder;
    const operands = this.operands(random.between(0, 3));
    const wanted = Array.from({ length: random.between(random.chance(0.1) ? 0 : 1, 2) }, () =>
      this.wanted(operands),
    );
    const shape: Shape = { kind: "cond", carried: 0, mapped: 0, turns: 1 };
    const branches = [this.submodule("true_graph", operands, shape, wanted)];
    branches.push(
      random.chance(0.1)
        ? (branches[0] as Submodule)
        : this.submodule("false_graph", operands, shape, wanted),
    );
    this.call(shape, branches, operands, wanted);
    if (!random.chance(0.25)) return;
    if (random.chance(0.6)) builder.step();
    const again = this.similar(branches, operands);
    if (again) this.call(shape, branches, again, wanted);
  }

  loop(): void {
    const { builder } = this;
    const { random } = builder;
    const operands = this.operands(random.between(1, 3));
    const count = flat(operands).length;
    const carried = random.between(Math.min(1, count), count);
    const wanted: Wanted[] = flat(operands).slice(0, carried).map(kindOf);
    const stacked = random.chance(0.3) ? random.between(1, 2) : 0;
    for (let i = 0; i < stacked; i++) wanted.push({ nbytes: builder.size(), isUnbound: false });
    const shape: Shape = { kind: "while", carried, mapped: 0, turns: random.between(1, 3) };
    const condition = this.submodule("while_cond", operands, shape, [
      { nbytes: random.pick([1, 4]), isUnbound: false },
    ]);
    const body = this.submodule("while_body", operands, shape, wanted);
    const results = this.results(shape, body);
    if (stacked === 0 && random.chance(builder.features.fewerResults))
      results.splice(random.between(0, results.length));
    this.call(shape, [condition, body], operands, results);
    if (!random.chance(0.2)) return;
    const again = this.similar([condition, body], operands);
    if (again) this.call(shape, [condition, body], again, results);
  }

  over(kind: "map" | "scan"): void {
    const { builder } = this;
    const { random } = builder;
    const turns = random.pick([1, 2, 2, 3]);
    const isSliced = (made: Made, node: string) =>
      !builder.attributes.has(node) && made.nbytes % turns === 0 && !made.bytes.isUnbound;
    const sliced: Readable[] = [];
    for (let i = 0; i < random.between(1, 2); i++) {
      const found = builder.single(isSliced);
      sliced.push(
        found ?? builder.operator(builder.some(2), [builder.fresh(16 * turns, { isUnbound: false })]),
      );
    }
    const carried = kind === "scan" ? this.operands(random.between(0, 2)) : [];
    const rest = this.operands(random.between(0, 2));
    const operands = [...carried, ...sliced, ...rest];
    const count = flat(carried).length;
    const shape: Shape = { kind, carried: count, mapped: sliced.length, turns };
    const wanted: Wanted[] = flat(carried).map(kindOf);
    for (let i = 0; i < random.between(count > 0 ? 0 : 1, 2); i++) {
      wanted.push({ nbytes: builder.size(), isUnbound: false });
    }
    const body = this.submodule(`${kind}_body`, operands, shape, wanted);
    const results = this.results(shape, body);
    if (wanted.length === count && random.chance(builder.features.fewerResults))
      results.splice(random.between(0, results.length));
    this.call(shape, [body], operands, results);
  }

  private operands(count: number): Readable[] {
    const { builder } = this;
    const found = builder.readable.filter(({ node }) => !builder.attributes.has(node));
    return found.length === 0 ? [] : Array.from({ length: count }, () => builder.random.pick(found));
  }

  private wanted(operands: Readable[]): Wanted {
    const { random } = this.builder;
    const through = flat(operands);
    if (through.length > 0 && random.chance(0.5)) return kindOf(random.pick(through));
    return { nbytes: this.builder.size(), isUnbound: random.chance(this.builder.features.unbound) };
  }

  private results(shape: Shape, body: Submodule): Wanted[] {
    return body.outputs.map(({ nbytes, isUnbound }, position) => {
      return position < shape.carried
        ? { nbytes, isUnbound }
        : { nbytes: nbytes * shape.turns, isUnbound: false };
    });
  }

  private submodule(stem: string, operands: Readable[], shape: Shape, wanted: Wanted[]): Submodule {
    const { builder } = this;
    const { random, features } = builder;
    const inner = new GraphBuilder(random, features, builder.depth + 1, builder.calls);
    const inputs: Submodule["inputs"] = [];
    for (const { tensors } of operands) {
      if (tensors.length === 0 && random.chance(0.5)) inner.placeholder([]);
      for (const made of tensors) {
        const position = inputs.length;
        const isSlice = position >= shape.carried && position < shape.carried + shape.mapped;
        const nbytes = isSlice ? made.nbytes / shape.turns : made.nbytes;
        const { isUnbound } = made.bytes;
        inputs.push({ nbytes, isUnbound, isSlice });
        inner.placeholder([this.inputTensor(inner, made, position, nbytes, shape)]);
        if (random.chance(0.05)) inner.placeholder([inner.fresh(inner.size(), constant)]);
      }
    }
    if (inner.readable.length === 0) inner.placeholder([inner.fresh(inner.size(), constant)]);
    for (let i = random.below(features.nodes / (2 + builder.depth)); i > 0; i--) growOnce(inner);
    const isBody = shape.kind !== "cond" && stem !== "while_cond";
    const outputs = wanted.map(({ nbytes, isUnbound }, position) =>
      inner.outputOf(nbytes, isUnbound, (made) => {
        if (shape.kind === "cond") return !made.bytes.stays;
        return !isBody || mayLeaveBody(made, position, shape);
      }),
    );
    const given = flat(outputs);
    const name = builder.name(stem);
    builder.submodules[name] = inner.finish(outputs);
    return {
      name,
      inputs,
      written: inner.written,
      outputs: given.map(({ nbytes, bytes }) => {
        const all = [bytes, ...bytes.sources];
        const placeholders = new Set(
          all.map(({ placeholder }) => placeholder).filter((position) => position >= 0),
        );
        return { nbytes, isUnbound: bytes.isUnbound, placeholders, sources: new Set(all) };
      }),
    };
  }

  /** A placeholder: the operand itself, a carried value in a place of its own, or a slice. */
  private inputTensor(
    inner: GraphBuilder,
    operand: Made,
    position: number,
    nbytes: number,
    shape: Shape,
  ): Made {
    const { bytes } = operand;
    const isCopied = position < shape.carried + shape.mapped;
    const writes = inner.random.chance(inner.features.writesOperands);
    return inner.fresh(nbytes, {
      isUnbound: bytes.isUnbound,
      writable: writes && (isCopied || (bytes.writable && !bytes.isConst)),
      stays: !isCopied && bytes.stays,
      placeholder: position,
      pool: undefined,
    });
  }

  private call(shape: Shape, bodies: Submodule[], operands: Readable[], wanted: Wanted[]): void {
    const { builder } = this;
    const { random } = builder;
    const made = wanted.map(({ nbytes, isUnbound }) => builder.fresh(nbytes, { isUnbound }));
    const node: Partial<Node> & { name: string } = {
      name: builder.name(shape.kind),
      target: shape.kind,
      submodules: bodies.map(({ name }) => name),
    };
    const args = shape.kind === "cond" ? [this.predicate()] : [];
    if (random.chance(0.4)) {
      for (const { name } of bodies) {
        const attribute = builder.name(`${name}_attr`);
        builder.node({ name: attribute, op: "get_attr", target: name });
        args.push(attribute);
      }
    }
    node.args = [...args, ...operands.map(({ node: name }) => name)];
    node.specs = made.map(({ id }) => id);
    const body = bodies.at(-1) as Submodule;
    const { kind, carried, mapped } = shape;
    const all = flat(operands).length;
    if (kind === "scan" || (kind === "while" && (carried !== body.outputs.length || random.chance(0.5)))) {
      node.carried = carried;
    }
    if (
      kind === "map"
        ? mapped !== 1 || random.chance(0.5)
        : kind === "scan" && (mapped !== all - carried || random.chance(0.5))
    ) {
      node.mapped = mapped;
    }
    this.noteEffects(shape, bodies, flat(operands), made);
    builder.node(node);
    builder.yieldOrUnpack(node.name, made);
  }

  private predicate(): string {
    const { builder } = this;
    const found = builder.readable.filter(({ node }) => !builder.attributes.has(node));
    if (found.length > 0) return builder.random.pick(found).node;
    return builder.operator(builder.some(1), [builder.fresh(1, { isUnbound: false })]).node;
  }

  /** What the call writes over, and which of its results may be the bytes of something else. */
  private noteEffects(shape: Shape, bodies: Submodule[], operands: Made[], results: Made[]): void {
    const { builder } = this;
    for (const { written } of bodies) {
      for (const position of written) {
        const operand = operands[position];
        if (operand && position >= shape.carried + shape.mapped) builder.noteWrite(operand);
      }
    }
    if (shape.kind !== "cond") return;
    const seen = new Map<Bytes, Made>();
    for (const { outputs } of bodies) {
      outputs.forEach(({ placeholders, sources }, position) => {
        const result = results[position] as Made;
        for (const at of placeholders) {
          const operand = operands[at] as Made;
          for (const bytes of [operand.bytes, ...operand.bytes.sources]) {
            bytes.writable = false;
            result.bytes.sources.add(bytes);
          }
          result.bytes.writable = false;
        }
        for (const source of sources) {
          const other = seen.get(source);
          if (other && other !== result) {
            for (const one of [other, result]) one.bytes.writable = false;
            result.bytes.sources.add(other.bytes);
            other.bytes.sources.add(result.bytes);
          }
          seen.set(source, result);
        }
      });
    }
  }

  /** Other operands that the same submodules can be called with; undefined where there are none. */
  private similar(bodies: Submodule[], operands: Readable[]): Readable[] | undefined {
    const { builder } = this;
    const { inputs } = bodies[0] as Submodule;
    if (flat(operands).length !== operands.length) return undefined;
    const found = inputs.map(({ nbytes, isUnbound }, position) => {
      const isWritten = bodies.some(({ written }) => written.has(position));
      const isHanded = bodies.some(({ outputs }) =>
        outputs.some(({ placeholders }) => placeholders.has(position)),
      );
      return builder.single((made, node) => {
        if (builder.attributes.has(node)) return false;
        if (made.nbytes !== nbytes || made.bytes.isUnbound !== isUnbound) return false;
        return !(isWritten && !builder.mayWrite(made)) && !(isHanded && made.bytes.stays);
      });
    });
    return found.every((operand) => operand !== undefined) ? found : undefined;
  }
}

const constant = { isConst: true, isUnbound: false, writable: false, pool: undefined };

/** One more node, or a whole control-flow node. */
export function growOnce(builder: GraphBuilder): void {
  const { random, features, depth, calls } = builder;
  if (depth < features.depth && calls.left > 0 && random.chance(features.controlFlow))
    addControlFlow(builder);
  else builder.step();
}

function flat(readables: Readable[]): Made[] {
  return readables.flatMap(({ tensors }) => tensors);
}

function kindOf({ nbytes, bytes }: Made): Wanted {
  return { nbytes, isUnbound: bytes.isUnbound };
}

/** A turn's output may not lie in a carried value, but for the value that it is. */
function mayLeaveBody(made: Made, position: number, shape: Shape): boolean {
  return [made.bytes, ...made.bytes.sources].every(({ placeholder }) => {
    if (placeholder < 0 || placeholder >= shape.carried) return true;
    return placeholder === position && made.offset === 0;
  });
}
