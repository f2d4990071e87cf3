// Uploads: one request for each file, two at a time, with progress and cancel.
{
  const upload = find("form[data-upload]");
  if (upload) {
    const token = find("meta[name=csrf]").content;
    const list = document.createElement("ul");
    list.className = "progress";
    const waiting = [];
    let running = 0, finished = 0, failed = 0, open = 0;

    const line = (file) => {
      const item = document.createElement("li");
      const name = document.createElement("bdi");
      name.textContent = file.name;
      const bar = document.createElement("progress");
      bar.max = 1;
      bar.value = 0;
      bar.setAttribute("aria-label", file.name);
      item.append(name, bar);
      list.append(item);
      return { item, bar };
    };

    const button = (text, act) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", act);
      return button;
    };

    const words = root.lang.startsWith("zh")
      ? { cancel: "取消", both: "保留两者", replace: "替换", skip: "跳过", failed: "未上传", done: "已上传" }
      : { cancel: "Cancel", both: "Keep both", replace: "Replace", skip: "Skip", failed: "Not uploaded", done: "Uploaded" };

    const say = (entry, text, ...buttons) => {
      const status = document.createElement("span");
      status.setAttribute("role", "status");
      status.textContent = text;
      entry.item.replaceChildren(entry.item.firstChild, status, ...buttons);
    };

    // The list is shown anew when all is there; what failed stays to be read.
    const end = () => {
      open -= 1;
      if (open > 0 || finished === 0 || failed > 0) return;
      const page = new URL(location);
      for (const name of ["done", "undo"]) page.searchParams.delete(name);
      location.assign(page);
    };

    const send = (file, taken, entry) => {
      running += 1;
      const address = new URL(upload.action);
      address.searchParams.set("name", file.name);
      address.searchParams.set("if_taken", taken);
      const request = new XMLHttpRequest();
      request.open("POST", address);
      request.setRequestHeader("X-Form-Token", token);
      request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) entry.bar.value = event.loaded / event.total;
      });
      request.addEventListener("loadend", () => {
        running -= 1;
        if (request.status === 201) {
          finished += 1;
          say(entry, words.done);
          end();
        } else if (request.status === 409) {
          let detail = words.failed;
          try { detail = JSON.parse(request.responseText).detail; } catch { /* no JSON: the words above */ }
          const again = (how) => () => { entry.item.replaceChildren(entry.item.firstChild, entry.bar); waiting.push([file, how, entry]); next(); };
          say(entry, detail, button(words.both, again("number")), button(words.replace, again("replace")),
            button(words.skip, () => { say(entry, words.failed); end(); }));
        } else {
          let detail = words.failed;
          try { detail = JSON.parse(request.responseText).detail || detail; } catch { /* as above */ }
          say(entry, detail);
          failed += 1;
          end();
        }
        next();
      });
      entry.item.append(button(words.cancel, () => request.abort()));
      request.send(file);
    };

    const next = () => {
      while (running < 2 && waiting.length > 0) send(...waiting.shift());
    };

    const add = (files) => {
      upload.append(list);
      for (const file of files) {
        open += 1;
        waiting.push([file, "refuse", line(file)]);
      }
      next();
    };

    upload.addEventListener("submit", (event) => {
      event.preventDefault();
      const input = upload.querySelector("input[type=file]");
      add(input.files);
      input.value = "";
    });
    addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      upload.classList.add("over");
    });
    addEventListener("dragleave", () => upload.classList.remove("over"));
    addEventListener("drop", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      upload.classList.remove("over");
      add(event.dataTransfer.files);
    });
    // What is not sent yet would be lost.
    addEventListener("beforeunload", (event) => { if (open > 0 && (running > 0 || waiting.length > 0)) event.preventDefault(); });
  }
}
