#!/usr/bin/env python3
"""Writes what ExecuTorch's memory planner sees as graph JSON for memplan.

One file, no dependencies beyond torch (and executorch for the recorder); copy
it beside your export script.

    from memplan_export import MemplanRecorder

    recorder = MemplanRecorder()
    edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=recorder))
    recorder.save("model.json")           # the graph; one or all methods
    recorder.save_plan("model.plan.json") # ExecuTorch's own plan, to compare

    memplan plan model.json --rules executorch-2026
    memplan verify model.json model.plan.json --rules executorch-2026

Or without ExecuTorch's passes, for any ExportedProgram (a functional graph):

    from memplan_export import graph_json
    json.dump(graph_json(exported_program), open("model.json", "w"))

    python memplan_export.py model.pt2 -o model.json
"""

import argparse
import json
import operator
import sys

# Element types whose size memplan knows; any other needs its bytes written.
_SIZED = frozenset(
    "uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool qint8 quint8 "
    "qint32 bfloat16 quint4x2 float8_e5m2 float8_e4m3fn uint16 uint32 uint64".split()
)

_CONTROL_FLOW = {"cond": "cond", "while_loop": "while", "map_impl": "map", "map": "map", "scan": "scan"}


def graph_json(program, signature=None, name=None):
    """Graph JSON of an ExportedProgram, or of a torch.fx.GraphModule and its ExportGraphSignature.

    Tensors come from node.meta["spec"] where ExecuTorch's SpecPropPass left a TensorSpec, else from
    node.meta["val"].
    """
    module = program
    if hasattr(program, "graph_module"):
        signature = program.graph_signature if signature is None else signature
        module = program.graph_module
    return _GraphWriter(module, signature).write(name)


class MemplanRecorder:
    """A memory planning pass that notes each method's graph before another pass plans it, and that plan after.

    planner: the pass that plans; default executorch.exir.passes.MemoryPlanningPass().
    """

    def __init__(self, planner=None):
        if planner is None:
            from executorch.exir.passes import MemoryPlanningPass

            planner = MemoryPlanningPass()
        self._planner = planner
        self.graphs = []
        self.plans = []
        self.enable_non_cpu_memory_planning = False

    def __getattr__(self, attribute):
        return getattr(self.__dict__["_planner"], attribute)

    def run(self, graph_module, graph_signature=None):
        writer = _GraphWriter(graph_module, graph_signature)
        self.graphs.append(writer.write(None))
        if hasattr(self._planner, "enable_non_cpu_memory_planning"):
            self._planner.enable_non_cpu_memory_planning = self.enable_non_cpu_memory_planning
        result = self._planner.run(graph_module, graph_signature)
        self.plans.append(writer.plan())
        return result

    def run_multimethod(self):
        return self._planner.run_multimethod()

    def save(self, path, names=None):
        """Writes the graph, or all methods' graphs under `names` (default method_0, …)."""
        _dump(path, self._joined(self.graphs, names))

    def save_plan(self, path, names=None):
        _dump(path, self._joined(self.plans, names))

    @staticmethod
    def _joined(items, names):
        if len(items) == 1 and names is None:
            return items[0]
        names = names or ["method_%d" % index for index in range(len(items))]
        return {"version": 1, "methods": dict(zip(names, items))}


def _dump(path, value):
    with open(path, "w") as file:
        json.dump(value, file, separators=(",", ":"))
        file.write("\n")


class _GraphWriter:
    def __init__(self, module, signature, is_top=True):
        self._module = module
        self._signature = signature
        self._is_top = is_top
        self._tensors = []
        self._ids = {}
        # Keeps specs alive, so that id() stays theirs.
        self._specs = []
        self._submodules = {}
        self._alloc_specs = {}
        self._constants = self._constant_names() if is_top else set()

    def write(self, name):
        self._find_alloc_specs()
        nodes = [self._node(node) for node in self._module.graph.nodes]
        graph = {"version": 1, "tensors": self._tensors, "nodes": nodes}
        if name is not None:
            graph["name"] = name
        if self._submodules:
            graph["submodules"] = {target: graph for target, (graph, _) in self._submodules.items()}
        signature = self._signature_json()
        if signature:
            graph["signature"] = signature
        if not any(node.get("target") == "memory.alloc" for node in nodes):
            # Not ExecuTorch's form, so its known targets are not insisted on.
            graph["encounter_to_out_var_failure"] = True
        return graph

    def plan(self):
        """The plan that the specs carry by now, with the lifetimes that it was made for."""
        tensors = []
        for spec in self._specs:
            planned = getattr(spec, "mem_offset", None) is not None
            lifetime = list(getattr(spec, "lifetime", None) or [None, None])
            tensors.append(
                {
                    "id": self._ids[id(spec)],
                    "lifetime": None if None in lifetime else lifetime,
                    "allocated_memory": getattr(spec, "allocated_memory", 0),
                    "mem_id": spec.mem_id if planned else None,
                    "mem_obj_id": spec.mem_obj_id if planned else None,
                    "mem_offset": spec.mem_offset if planned else None,
                }
            )
        plan = {"version": 1, "buffer_sizes": self._module.meta.get("non_const_buffer_sizes"), "tensors": tensors}
        if self._is_top:
            plan["algorithm"] = "executorch"
        if self._submodules:
            plan["submodules"] = {target: writer.plan() for target, (_, writer) in self._submodules.items()}
        return plan

    # Nodes.

    def _node(self, node):
        target = _target_name(node)
        entry = {"name": node.name, "op": node.op, "target": target}
        if node.op == "get_attr":
            # A submodule, or a tensor of the module.
            self._add_submodule(node)
        args = _input_names(node)
        if args:
            entry["args"] = args
        specs = self._node_specs(node)
        if specs is not None:
            entry["specs"] = specs
        variant = _variant(node)
        if variant is not None:
            entry["variant"] = variant
        if node.meta.get("weight_has_gradient", False):
            entry["weight_has_gradient"] = True
        if target == "executorch_call_delegate":
            entry["backend_id"] = self._backend_id(node)
        elif target in ("cond", "while", "map", "scan"):
            entry.update(_control_flow(node, target))
        source = _source(node)
        if source is not None:
            entry["source"] = source
        return entry

    def _add_submodule(self, node):
        import torch

        submodule = getattr(self._module, node.target, None)
        if isinstance(submodule, torch.fx.GraphModule) and node.target not in self._submodules:
            writer = _GraphWriter(submodule, None, is_top=False)
            self._submodules[node.target] = (writer.write(None), writer)

    def _backend_id(self, node):
        lowered = node.args[0] if node.args else None
        module = getattr(self._module, lowered.target, None) if hasattr(lowered, "target") else None
        return getattr(module, "backend_id", "")

    # Tensors.

    def _find_alloc_specs(self):
        """The planner gives a memory.alloc node the spec of the node that writes there, whatever it had before."""
        for node in self._module.graph.nodes:
            names = _out_argument_names(node)
            specs = _as_list(node.meta.get("spec"))
            index = 0
            for name in names:
                alloc = node.kwargs.get(name)
                if alloc is None:
                    continue
                for each in alloc if isinstance(alloc, (list, tuple)) else [alloc]:
                    if index < len(specs):
                        self._alloc_specs.setdefault(each.name, specs[index])
                        index += 1

    def _node_specs(self, node):
        spec = self._alloc_specs.get(node.name, node.meta.get("spec"))
        if spec is None and node.op == "output":
            # The output's spec is what it returns.
            found = [item for arg in _input_nodes(node) for item in (self._node_specs(arg) or [None])]
            return found
        if spec is None:
            return self._value_specs(node)
        return [self._tensor_id(item) for item in _as_list(spec)]

    def _tensor_id(self, spec):
        if not hasattr(spec, "shape_dynamism"):
            return None
        # A view's spec stands for its base's bytes.
        while getattr(spec, "_base", None) is not None:
            spec = spec._base
        known = self._ids.get(id(spec))
        if known is not None:
            return known
        identity = "t%d" % len(self._tensors)
        self._ids[id(spec)] = identity
        self._specs.append(spec)
        entry = {"id": identity, "dtype": _dtype_name(spec.dtype), "shape": [int(extent) for extent in spec.shape]}
        self._tensors.append(entry)
        if entry["dtype"] not in _SIZED:
            entry["nbytes"] = int(spec.nbytes())
        if spec.const:
            entry["const"] = True
        dynamism = getattr(spec.shape_dynamism, "name", "STATIC").lower()
        if dynamism != "static":
            entry["dynamism"] = dynamism
        if getattr(spec, "mem_id", None) is not None and getattr(spec, "mem_offset", None) is None:
            entry["mem_id"] = spec.mem_id
        self._add_bases(entry, spec)
        device = _device_name(spec)
        if device is not None:
            entry["device"] = device
        return identity

    def _add_bases(self, entry, spec):
        """storage_base since executorch 1.5; before, inplace_base for a base at offset 0."""
        base = getattr(spec, "storage_base", None)
        if base is not None:
            entry["storage_base"] = self._tensor_id(base)
            entry["storage_base_offset"] = int(getattr(spec, "storage_base_offset", 0))
        elif getattr(spec, "inplace_base", None) is not None:
            entry["inplace_base"] = self._tensor_id(spec.inplace_base)

    def _value_specs(self, node):
        """From meta["val"], for programs that SpecPropPass has not seen. Every value is a tensor of its own."""
        if node.op == "get_attr" and node.target in self._submodules:
            return None
        if _target_name(node) == "operator.getitem" and node.args[0].name in self._ids:
            return [self._ids[node.args[0].name][node.args[1]]]
        value = node.meta.get("val")
        items = [self._value_id(node, item) for item in _as_list(value)]
        if len(items) > 1:
            self._ids[node.name] = items
        return items

    def _value_id(self, node, value):
        if not hasattr(value, "dtype") or not hasattr(value, "shape"):
            return None
        identity = "t%d" % len(self._tensors)
        entry = {"id": identity, "dtype": _dtype_name(value.dtype)}
        self._tensors.append(entry)
        if all(isinstance(extent, int) for extent in value.shape):
            entry["shape"] = list(value.shape)
            if entry["dtype"] not in _SIZED:
                entry["nbytes"] = value.numel() * value.element_size()
        else:
            # A symbol: without a bound there is no size to plan.
            entry.update({"nbytes": 0, "dynamism": "dynamic_unbound"})
        if node.op == "get_attr" or node.name in self._constants:
            entry["const"] = True
        return identity

    # Signature.

    def _constant_names(self):
        signature = self._signature
        if signature is None:
            return set()
        mutated = set(signature.buffers_to_mutate.values())
        names = set(signature.inputs_to_parameters)
        names.update(getattr(signature, "inputs_to_lifted_tensor_constants", {}))
        names.update(name for name, buffer in signature.inputs_to_buffers.items() if buffer not in mutated)
        return names

    def _signature_json(self):
        signature = self._signature
        if signature is None or not self._is_top:
            return None
        mutated = set(signature.buffers_to_mutate.values())
        buffers = {name: buffer for name, buffer in signature.inputs_to_buffers.items() if buffer in mutated}
        if not buffers:
            return None
        return {"inputs_to_buffers": buffers, "buffers_to_mutate": dict(signature.buffers_to_mutate)}


def _as_list(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _input_nodes(node):
    """Nodes in args, then kwargs, lists and dictionaries taken apart, in order."""
    import torch

    found = []

    def visit(argument):
        found.append(argument)
        return argument

    torch.fx.node.map_arg(node.args, visit)
    torch.fx.node.map_arg(node.kwargs, visit)
    return found


def _input_names(node):
    return [argument.name for argument in _input_nodes(node)]


def _schema(target):
    """Of an operator overload, or of the one that an edge overload wraps."""
    return getattr(target, "_schema", None) or getattr(getattr(target, "_op", None), "_schema", None)


def _target_name(node):
    target = node.target
    if isinstance(target, str):
        return target
    if target is operator.getitem:
        return "operator.getitem"
    schema = _schema(target)
    if schema is not None:
        overload = schema.overload_name
        return schema.name + ("." + overload if overload else "")
    name = getattr(target, "__name__", None) or str(target)
    module = getattr(target, "__module__", "") or ""
    if module.startswith("executorch.exir.memory"):
        return "memory." + name
    if name in _CONTROL_FLOW:
        return _CONTROL_FLOW[name]
    if name == "executorch_call_delegate":
        return name
    return ("operator." if module == "_operator" else module + "." if module else "") + name


def _out_argument_names(node):
    schema = _schema(node.target) if node.op == "call_function" else None
    return [] if schema is None else [argument.name for argument in schema.arguments if argument.is_out]


def _variant(node):
    schema = _schema(node.target) if node.op == "call_function" else None
    if schema is None:
        return None
    if any(argument.is_out for argument in schema.arguments):
        return "out"
    base = schema.name.rsplit("::", 1)[-1]
    writes = any(argument.alias_info is not None and argument.alias_info.is_write for argument in schema.arguments)
    return "inplace" if writes and base.endswith("_") and not base.endswith("__") else None


def _control_flow(node, target):
    """Names of the submodules, and how operands bind."""
    count = {"cond": (1, 3), "while": (0, 2), "map": (0, 1), "scan": (0, 1)}[target]
    submodules = [argument.target for argument in node.args[count[0] : count[1]] if hasattr(argument, "target")]
    entry = {"submodules": submodules}
    if target == "map":
        entry["mapped"] = len(_as_list(node.args[1]))
    elif target == "scan":
        entry["carried"] = len(_as_list(node.args[1]))
        entry["mapped"] = len(_as_list(node.args[2]))
    return entry


def _dtype_name(dtype):
    return str(dtype).replace("torch.", "")


def _device_name(spec):
    kind = getattr(getattr(spec, "device", None), "name", None) or getattr(getattr(spec, "device_type", None), "name", "CPU")
    if kind == "CPU":
        return None
    return "%s:%d" % (kind.lower(), getattr(spec, "device_index", 0))


def _source(node):
    """The innermost line of the stack trace, as `model.py:12`."""
    trace = node.meta.get("stack_trace")
    if not trace:
        return None
    lines = [line.strip() for line in trace.splitlines() if line.strip().startswith("File ")]
    if not lines:
        return None
    parts = lines[-1].split(", ")
    path = parts[0][len('File "') : -1]
    number = parts[1].replace("line ", "") if len(parts) > 1 else "0"
    return "%s:%s" % (path.replace("\\", "/").rsplit("/", 1)[-1], number)


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Writes an exported program (.pt2) as graph JSON for memplan.")
    parser.add_argument("program", help="a file of torch.export.save")
    parser.add_argument("-o", "--output", help="default: standard output")
    options = parser.parse_args(arguments)
    import torch

    graph = graph_json(torch.export.load(options.program))
    if options.output:
        _dump(options.output, graph)
    else:
        json.dump(graph, sys.stdout)
        print()


if __name__ == "__main__":
    main()
